@preconcurrency import Glibc
import Link
import Testing
import Wire

@testable import WiFiLink

/// A process without file descriptors left; in a process of its own, as its limit is.
///
/// Beside a busy processor libdispatch opens `/proc` to look after its threads, and ends the process
/// where it cannot: `.ci/test` runs this suite alone.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExhaustionTests {
  @Test("without descriptors nothing falls, links stay, and connections are taken again later")
  func exhaustion() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try await ExhaustionTests.exhaust()
    }
    if let result, result.exitStatus != .exitCode(0) {
      Issue.record("it said: \(String(decoding: result.standardErrorContent, as: UTF8.self))")
    }
  }

  @MainActor
  static func exhaust() async throws {
    struct Failed: Error { let what: String }
    func require(_ isTrue: Bool, _ what: String) throws {
      guard !isTrue else { return }
      // All that is heard of this process is how it ended, and this.
      fputs("exhaustion test: \(what)\n", stderr)
      throw Failed(what: what)
    }

    // Few of them, whatever this process inherits: a million would take a minute to open.
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    try require(getrlimit(resource, &limit) == 0, "limit")
    limit.rlim_cur = min(limit.rlim_cur, 4_096)
    try require(setrlimit(resource, &limit) == 0, "limit set")

    let b = try Host()
    let a = try Host(peers: [b.address])
    try require(await a.wait { a.up.count == 1 }, "linked")
    let link = a.up.keys.sorted()[0]
    a.wifi.send(.sample(), on: link)
    try require(await b.wait { b.received.count == 1 }, "heard")

    // A client from before, then not one descriptor more.
    let early = try await RawClient.connect(port: b.wifi.port, sending: Packet.sample().encoded)
    try require(await b.wait { b.up.count == 2 }, "early")
    var ballast: [CInt] = []
    while true {
      let descriptor = open("/dev/null", O_RDONLY)
      if descriptor < 0 { break }
      ballast.append(descriptor)
    }
    close(ballast.removeLast())
    let late = try await RawClient.connect(port: b.wifi.port)
    try require(await b.wait { !b.notices.isEmpty }, "told")
    try require(await late.isClosed(within: Host.patience), "turned away")
    let told = b.notices.count
    let turnedAway = b.value("descriptors-exhausted")

    // What is linked goes on; nothing spins meanwhile.
    a.wifi.send(.sample(number: 2), on: link)
    try require(await b.wait { b.received.count == 3 }, "goes on")
    let used = clock()
    try await Task.sleep(for: .milliseconds(1_500))
    try require(clock() - used < CLOCKS_PER_SEC / 5, "spins")
    try require(b.value("descriptors-exhausted") <= turnedAway + 2, "rests")
    try require(b.notices.count == told, "told once")

    for descriptor in ballast { close(descriptor) }
    late.close()
    let again = try await RawClient.connect(
      port: b.wifi.port, sending: Packet.sample(number: 3).encoded)
    try require(await b.wait { b.received.count == 4 }, "taken again")
    for client in [early, again] { client.close() }
    for host in [a, b] { host.wifi.stop() }
  }
}
