import Testing

@testable import WiFiLink

@Suite struct HostAndPortTests {
  @Test(
    "a place is written as it was read",
    arguments: [
      "example.local:4000", "10.0.0.1:1", "[fd00::1]:65535", "[fe80::1%eth0]:4000",
      "[fe80::1]:4000", "localhost:80", "a_b-c.local:9", "1host:9",
    ])
  func roundTrip(text: String) throws {
    #expect(try HostAndPort(parsing: text).description == text)
  }

  @Test(
    "a place without a port says so",
    arguments: ["host", "10.0.0.1", "[::1]", "[fe80::1%eth0]", "[::1]4000"])
  func missingPort(text: String) {
    #expect(throws: HostAndPortError.missingPort(text)) { try HostAndPort(parsing: text) }
  }

  @Test(
    "what is no port is refused",
    arguments: [
      "host:", "host:0", "host:65536", "host:-1", "host:+1", "host:1 ", "host:0x10", "host:９",
      "host:99999999999999999999",
    ])
  func badPort(text: String) {
    #expect(throws: HostAndPortError.badPort(String(text.dropFirst(5)), lowest: 1)) {
      try HostAndPort(parsing: text)
    }
  }

  @Test(
    "what is no host is refused",
    arguments: [
      ":4000", "::1:4000", "fe80::1%eth0:4000", "[10.0.0.1]:4000", "[host]:4000", "[::1:4000",
      "300.1.1.1:4000", "1.2.3:4000", "ho st:4000", "host\u{1B}[2J:4000", ".host:4000",
      "-host:4000", "[::1%eth0]:4000", "[fe80::1%]:4000", "[fe80::1%a/b]:4000",
      "[fe80::1%0123456789abcdef]:4000", "\(String(repeating: "a", count: 254)):1",
    ])
  func badHost(text: String) {
    let error = #expect(throws: HostAndPortError.self) { try HostAndPort(parsing: text) }
    if case .badHost = error {} else { Issue.record("\(text): \(String(describing: error))") }
  }

  @Test(
    "where to listen is a port or an address with one",
    arguments: ["127.0.0.1:4000", "[::1]:0", "[fe80::1%eth0]:65535", "0.0.0.0:1"])
  func listen(text: String) throws {
    #expect(try ListenAddress(parsing: text).description == text)
  }

  @Test("a port alone means all addresses, 0 any port")
  func listenPort() throws {
    #expect(try ListenAddress(parsing: "0") == .any)
    let address = try ListenAddress(parsing: "65535")
    #expect(address.address == nil && address.port == 65_535)
    #expect(address.description == "port 65535")
  }

  @Test(
    "where nobody can listen is refused",
    arguments: ["", "65536", "-1", "x", "host:4000", "::1:4000", "10.0.0.1:", "10.0.0.1:x", ":1"])
  func badListen(text: String) {
    #expect(throws: HostAndPortError.self) { try ListenAddress(parsing: text) }
  }

  @Test("every error has a text that says what to write")
  func texts() {
    for error in [HostAndPortError.missingPort("a"), .badPort("b", lowest: 0), .badHost("c")] {
      #expect(error.description.contains("'") && error.description.count > 20)
    }
  }
}
