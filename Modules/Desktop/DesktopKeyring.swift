public import DBus
public import Identity

/// The desktop's keyring, by freedesktop's Secret Service: GNOME's, KDE's, KeePassXC's.
///
/// Each use is a conversation of its own and takes the main actor, on which it has to be asked, for as
/// long as it lasts: two minutes at the most, where a person types the keyring's password.
public struct DesktopKeyring: SecretService {
  private let address: BusAddress

  public init(_ address: BusAddress = .session) { self.address = address }

  /// Finds out whether it is there, and has it unlocked.
  public func prepare() throws { try talk { _ = try $0.unlockedCollection() } }

  public func secret(named name: [UInt8]) throws -> SecretBytes? {
    var secrets = try talk { session in
      try session.items(Self.attributes(name)).prefix(1).map { try session.secret(of: $0) }
    }
    return secrets.isEmpty ? nil : SecretBytes(consuming: &secrets[0])
  }

  /// Keeps it, and makes sure that it comes out as it went in.
  public func store(_ secret: borrowing SecretBytes, named name: [UInt8]) throws {
    var bytes = secret.withUnsafeBytes { Array($0) }
    defer { bytes.wipe() }
    let attributes = Self.attributes(name)
    try talk { session in
      try session.store(bytes, label: "AirLink identity", attributes)
      guard let item = try session.items(attributes).first else {
        throw KeyringError.strange("what was stored is not there")
      }
      var back = try session.secret(of: item)
      defer { back.wipe() }
      guard back == bytes else { throw KeyringError.strange("what was stored comes out otherwise") }
    }
  }

  public func remove(named name: [UInt8]) throws {
    try talk { session in
      for item in try session.items(Self.attributes(name)) { try session.delete(item) }
    }
  }

  /// What an item is found by.
  private static func attributes(_ name: [UInt8]) -> [String: String] {
    let digits = Array("0123456789abcdef")
    return [
      "xdg:schema": "org.airlink.Identity",
      "identity": String(name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }),
    ]
  }

  private func talk<Result: Sendable>(
    _ body: @MainActor (KeyringSession) throws -> Result
  ) throws -> Result {
    // Programs ask at their start, where nothing but the main actor runs.
    return try MainActor.assumeIsolated {
      let session = try KeyringSession(address)
      defer { session.close() }
      return try body(session)
    }
  }
}
