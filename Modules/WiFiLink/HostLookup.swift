internal import Discovery
internal import EventLoop
internal import Glibc

/// Finds the addresses of named hosts, off the main thread: a name server may take its time.
@MainActor
final class HostLookup {
  /// Names looked up at once; the others wait.
  static let maximumAtOnce = 4
  /// Addresses taken of one name.
  nonisolated static let maximumAddresses = 8

  private struct Request {
    let name: String
    let port: UInt16
    let answer: ([Endpoint]) -> Void
  }

  private var waiting: [Request] = []
  private var running: [UInt64: Request] = [:]
  private var lastNumber: UInt64 = 0

  /// Looks a host up; no endpoints when it is not found.
  func find(_ name: String, port: UInt16, _ answer: @escaping ([Endpoint]) -> Void) {
    waiting.append(Request(name: name, port: port, answer: answer))
    next()
  }

  private func next() {
    guard running.count < Self.maximumAtOnce, !waiting.isEmpty else { return }
    let request = waiting.removeFirst()
    lastNumber += 1
    let (number, name) = (lastNumber, request.name)
    running[number] = request
    let postbox = EventLoop.main.postbox
    let isAsked = BackgroundThread.start { [weak self] in
      let found = Self.addresses(of: name)
      postbox.post { self?.found(found, number) }
    }
    if !isAsked { EventLoop.main.nextTurn { [weak self] in self?.found([], number) } }
  }

  private func found(_ addresses: [IPAddress], _ number: UInt64) {
    guard let request = running.removeValue(forKey: number) else { return }
    request.answer(addresses.map { Endpoint($0, port: request.port) })
    next()
  }

  private nonisolated static func addresses(of name: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_protocol = CInt(IPPROTO_TCP)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var found: [IPAddress] = []
    var next = first
    while let entry = next?.pointee, found.count < maximumAddresses {
      next = entry.ai_next
      if let pointer = entry.ai_addr, let endpoint = Endpoint(pointer),
        !found.contains(endpoint.address)
      {
        found.append(endpoint.address)
      }
    }
    return found
  }
}
