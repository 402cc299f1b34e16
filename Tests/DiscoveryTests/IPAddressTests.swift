import Discovery
import Testing

@Suite struct IPAddressTests {
  @Test(
    "an address is written as it was read",
    arguments: [
      "0.0.0.0", "10.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fd00:1:2:3:4:5:6:7",
    ])
  func roundTrip(text: String) throws {
    let address = try #require(IPAddress(parsing: text))
    #expect(address.description == text)
    #expect(address.bytes.count == (address.isV6 ? 16 : 4))
    if address.isV6 { #expect(IPAddress(v6: address.bytes) == address) }
  }

  @Test(
    "what is no address is none",
    arguments: ["", "1.2.3", "1.2.3.4.5", "256.0.0.1", "fe80::1%eth0", ":::", "host", "01.2.3.4"])
  func refused(text: String) { #expect(IPAddress(parsing: text) == nil) }

  @Test("IPv4 in IPv6 clothing is IPv4")
  func mapped() {
    #expect(IPAddress(parsing: "::ffff:10.0.0.1") == .v4(0x0A00_0001))
  }

  @Test("a scope is kept for link-local addresses alone")
  func scope() throws {
    let linkLocal = try #require(IPAddress(parsing: "fe80::1"))
    #expect(linkLocal.scoped(to: 3).description == "fe80::1%3")
    #expect(Endpoint(linkLocal.scoped(to: 3), port: 9).description == "[fe80::1%3]:9")
    #expect(linkLocal.scoped(to: 3) != linkLocal.scoped(to: 4))
    let global = try #require(IPAddress(parsing: "fd00::1"))
    #expect(global.scoped(to: 3) == global)
  }

  @Test(
    "private addresses are known by their edges",
    arguments: [
      ("9.255.255.255", false), ("10.0.0.0", true), ("10.255.255.255", true), ("11.0.0.0", false),
      ("172.15.255.255", false), ("172.16.0.0", true), ("172.31.255.255", true),
      ("172.32.0.0", false), ("192.167.255.255", false), ("192.168.0.0", true),
      ("192.169.0.0", false), ("100.63.255.255", false), ("100.64.0.0", true),
      ("100.127.255.255", true), ("100.128.0.0", false), ("169.253.255.255", false),
      ("169.254.0.0", true), ("169.255.0.0", false), ("127.0.0.1", true), ("128.0.0.1", false),
      ("fbff::", false), ("fc00::", true), ("fdff::", true), ("fe00::", false),
      ("fe7f::", false), ("fe80::", true), ("febf::", true), ("fec0::", false), ("::1", true),
      ("::2", false),
    ])
  func isPrivate(text: String, expected: Bool) throws {
    #expect(try #require(IPAddress(parsing: text)).isPrivate == expected)
  }

  @Test(
    "prefixes reach to their last bit",
    arguments: [
      ("10.0.0.255", "10.0.0.1", 24, true), ("10.0.1.0", "10.0.0.1", 24, false),
      ("10.0.0.2", "10.0.0.3", 31, true), ("10.0.0.4", "10.0.0.3", 31, false),
      ("1.2.3.4", "9.9.9.9", 0, true), ("1.2.3.4", "1.2.3.4", 32, true),
      ("1.2.3.4", "1.2.3.4", 33, false), ("1.2.3.4", "1.2.3.4", -1, false),
      ("fd00::1", "fd00::2", 64, true), ("fd00:0:0:1::1", "fd00::2", 64, false),
      ("fd00::4", "fd00::3", 126, false), ("fd00::4", "fd00::7", 126, true),
      ("fd00::1", "fd00::1", 128, true), ("fd00::1", "fd00::1", 129, false),
      ("10.0.0.1", "fd00::1", 0, false),
    ])
  func prefixes(a: String, b: String, length: Int, expected: Bool) throws {
    let a = try #require(IPAddress(parsing: a))
    let b = try #require(IPAddress(parsing: b))
    #expect(a.isInPrefix(of: b, length: length) == expected)
    #expect(b.isInPrefix(of: a, length: length) == expected)
  }
}
