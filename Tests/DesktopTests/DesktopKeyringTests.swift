import DBus
import Desktop
import Identity
import TestSupport
import Testing

/// The keyring waits, on the main thread, for a service that turns on the same loop: both take turns.
@Suite(
  "DesktopKeyring", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: PrivateBus.isInstalled, "there is no dbus-daemon here"))
@MainActor
struct DesktopKeyringTests {
  private let name: [UInt8] = [0xAB, 0x01]
  private let key = [UInt8](0..<32)

  private func secret() -> SecretBytes {
    var copy = key
    return SecretBytes(consuming: &copy)
  }

  private func read(_ keyring: DesktopKeyring) throws -> [UInt8]? {
    guard let found = try keyring.secret(named: name) else { return nil }
    return found.withUnsafeBytes { Array($0) }
  }

  @Test("what is stored comes back, is found by its name alone, and goes when it is removed")
  func roundTrip() async throws {
    let bus = try PrivateBus()
    let fake = try await FakeSecrets(bus)
    let keyring = DesktopKeyring(bus.address)
    try keyring.prepare()
    #expect(try read(keyring) == nil)
    try keyring.store(secret(), named: name)
    #expect(
      fake.items.map(\.attributes) == [
        ["xdg:schema": "org.airlink.Identity", "identity": "ab01"]
      ])
    #expect(try read(keyring) == key)
    #expect(try keyring.secret(named: [1]) == nil)
    try keyring.remove(named: name)
    #expect(try read(keyring) == nil)
    #expect(fake.prompts == 0 && fake.sessions == 0)
  }

  @Test("a locked keyring is unlocked by asking the user, once")
  func locked() async throws {
    let bus = try PrivateBus()
    let fake = try await FakeSecrets(bus)
    let keyring = DesktopKeyring(bus.address)
    try keyring.store(secret(), named: name)
    fake.lock(.locked)
    #expect(try read(keyring) == key)
    fake.lock(.locked)
    try keyring.prepare()
    #expect(fake.prompts == 2)
  }

  @Test("where nothing has been kept yet the collection is made first")
  func empty() async throws {
    let bus = try PrivateBus()
    let fake = try await FakeSecrets(bus, .empty)
    try DesktopKeyring(bus.address).store(secret(), named: name)
    #expect(fake.items.count == 1 && fake.prompts == 1)
  }

  @Test(
    "dismissed, gone, strange, refusing, forgetful: an error that says so, and nothing is lost",
    arguments: [
      (.dismissing, "it is locked, and was not unlocked"),
      (.leaving, "no keyring service runs (org.freedesktop.secrets)"),
      (.strange, "its answer makes no sense (OpenSession)"),
      (.refusing, "it is locked (org.freedesktop.Secret.Error.IsLocked)"),
      (.forgetful, "its answer makes no sense (what was stored comes out otherwise)"),
    ] as [(FakeSecrets.Conduct, String)])
  func failures(_ conduct: FakeSecrets.Conduct, _ words: String) async throws {
    let bus = try PrivateBus()
    let fake = try await FakeSecrets(bus, conduct)
    do {
      try DesktopKeyring(bus.address).store(secret(), named: name)
      Issue.record("it was stored")
    } catch {
      #expect("\(error)" == words)
    }
    #expect(fake.items.count == (conduct == .forgetful ? 1 : 0))
  }

  @Test("other bytes are handed out as they are: who asked for a key sees that it is none")
  func otherBytes() async throws {
    let bus = try PrivateBus()
    let fake = try await FakeSecrets(bus)
    let keyring = DesktopKeyring(bus.address)
    try keyring.store(secret(), named: name)
    fake.put([], for: 0)
    #expect(try read(keyring) == [])
    fake.put([UInt8](repeating: 7, count: 100_000), for: 0)
    #expect(try read(keyring)?.count == 100_000)
  }

  @Test("no service, or no bus at all, is an error that says so")
  func absent() async throws {
    let bus = try PrivateBus()
    let keyring = DesktopKeyring(bus.address)
    do {
      try keyring.prepare()
      Issue.record("there was a keyring")
    } catch { #expect("\(error)" == "no keyring service runs (org.freedesktop.secrets)") }
    bus.kill()
    do {
      _ = try keyring.secret(named: name)
      Issue.record("there was a bus")
    } catch { #expect("\(error)".hasPrefix("there is no session bus (")) }
  }
}
