internal import Discovery

/// Why a text names no place to dial or to listen at.
public enum HostAndPortError: Error, Hashable, Sendable, CustomStringConvertible {
  case missingPort(String)
  case badPort(String, lowest: UInt16)
  case badHost(String)

  public var description: String {
    switch self {
    case .missingPort(let text): "'\(text)' has no port: write HOST:PORT, IPv6 as [ADDRESS]:PORT"
    case .badPort(let port, let lowest): "'\(port)' is no port: a number from \(lowest) to 65535"
    case .badHost(let host):
      "'\(host)' is no host: a name, an IPv4 address or an IPv6 address in brackets"
    }
  }
}

/// A host and a port as people write them: `HOST:PORT`, IPv6 in brackets.
public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
  /// A DNS name is no longer (RFC 1035, section 2.3.4).
  static let maximumNameLength = 253
  /// An interface's name, or its number.
  static let maximumScopeLength = 15

  enum Host: Hashable, Sendable {
    case name(String)
    /// With the interface of a link-local address, as it was written.
    case address(IPAddress, scope: String?)
  }

  let host: Host
  public let port: UInt16

  /// Reads `example.local:4000`, `10.0.0.1:4000`, `[fd00::1]:4000`, `[fe80::1%eth0]:4000`.
  ///
  /// - Throws: `HostAndPortError`, whose text says what is wrong.
  public init(parsing text: String) throws(HostAndPortError) {
    let hostText: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw .badHost(text) }
      hostText = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      host = .address(try Self.bracketed(hostText), scope: Self.scope(of: hostText))
    } else {
      let colon = text.lastIndex(of: ":") ?? text.endIndex
      hostText = text[..<colon]
      rest = text[colon...]
      if hostText.contains(":") { throw .badHost(String(text)) }
      host = try Self.plain(hostText)
    }
    guard rest.hasPrefix(":") else { throw .missingPort(text) }
    port = try Self.port(rest.dropFirst(), from: 1)
  }

  init(_ host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  public var description: String {
    switch host {
    case .name(let name): "\(name):\(port)"
    case .address(let address, let scope):
      address.isV6
        ? "[\(address.withoutScope)\(scope.map { "%" + $0 } ?? "")]:\(port)" : "\(address):\(port)"
    }
  }

  static func port(_ text: Substring, from lowest: UInt16) throws(HostAndPortError) -> UInt16 {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(text), port >= lowest
    else { throw .badPort(String(text), lowest: lowest) }
    return port
  }

  static func bracketed(_ text: Substring) throws(HostAndPortError) -> IPAddress {
    let address = text.prefix { $0 != "%" }
    guard let parsed = IPAddress(parsing: String(address)), parsed.isV6 else {
      throw .badHost(String(text))
    }
    guard address.count < text.count else { return parsed }
    guard parsed.isLinkLocal, let scope = scope(of: text),
      (1...maximumScopeLength).contains(scope.utf8.count),
      scope.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else { throw .badHost(String(text)) }
    return parsed
  }

  static func scope(of text: Substring) -> String? {
    text.firstIndex(of: "%").map { String(text[text.index(after: $0)...]) }
  }

  private static func plain(_ text: Substring) throws(HostAndPortError) -> Host {
    if let address = IPAddress(parsing: String(text)) { return .address(address, scope: nil) }
    // Digits and dots alone are an address gone wrong: no resolver needs to be asked.
    let isName = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, (1...maximumNameLength).contains(text.utf8.count), !text.hasPrefix("."),
      !text.hasPrefix("-"), text.contains(where: { !$0.isNumber && $0 != "." })
    else { throw .badHost(String(text)) }
    return .name(String(text))
  }
}

/// Where to listen: `PORT` on all addresses, or `ADDRESS:PORT`; port 0 takes any that is free.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// Nil for all addresses.
  let address: IPAddress?
  let scope: String?
  public let port: UInt16

  /// Any free port on all addresses.
  public static let any = ListenAddress(address: nil, scope: nil, port: 0)

  /// Reads `4000`, `0`, `127.0.0.1:4000`, `[::1]:0`, `[fe80::1%eth0]:4000`.
  ///
  /// - Throws: `HostAndPortError`, whose text says what is wrong.
  public init(parsing text: String) throws(HostAndPortError) {
    guard text.contains(":") else {
      self.init(address: nil, scope: nil, port: try HostAndPort.port(text[...], from: 0))
      return
    }
    guard let colon = text.lastIndex(of: ":") else { throw .missingPort(text) }
    let hostText = text[..<colon]
    let port = try HostAndPort.port(text[text.index(after: colon)...], from: 0)
    if hostText.hasPrefix("["), hostText.hasSuffix("]") {
      let inside = hostText.dropFirst().dropLast()
      let address = try HostAndPort.bracketed(inside)
      self.init(address: address, scope: HostAndPort.scope(of: inside), port: port)
    } else {
      guard let address = IPAddress(parsing: String(hostText)), !address.isV6 else {
        throw .badHost(String(hostText))
      }
      self.init(address: address, scope: nil, port: port)
    }
  }

  init(address: IPAddress?, scope: String?, port: UInt16) {
    self.address = address
    self.scope = scope
    self.port = port
  }

  public var description: String {
    guard let address else { return "port \(port)" }
    return HostAndPort(.address(address, scope: scope), port: port).description
  }
}
