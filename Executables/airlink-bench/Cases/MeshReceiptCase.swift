internal import CommandLine
internal import Identity
internal import Mesh
internal import Outbox
internal import Wire

/// A text and its receipt between two meshes in memory, against the sealing and opening in it.
///
/// What the node adds to the cryptography without sockets, pipes and processes.
enum MeshReceiptCase {
  static let receipt = Subject(
    summary: "a text and its receipt between two meshes in memory",
    limit: "two seals and two opens"
  ) { duration in
    let pair = try Pair()
    let text = try SealedText(bucket: 256)
    try pair.exchange()
    let times = Turns(
      subject: { count in for _ in 0..<count { keep(try? pair.exchange()) } },
      limit: { text.sealAndOpen(2 * $0) }
    ).measure(for: duration)
    try pair.exchange()
    var measurement = Measurement(subject: times.subject, limit: times.limit)
    measurement.figures[.allocations] = Allocations.each(1_000) { count in
      for _ in 0..<count { keep(try? pair.exchange()) }
    }
    return measurement
  }

  /// Two people on one link, who have heard each other and written before.
  private final class Pair {
    private var meshes: [Mesh<SealedCryptography>]
    private var now = Instant.zero
    private var wallClock = Timestamp(milliseconds: 1_764_489_600_000)
    private let link = LinkID(1)
    private var delivered = 0

    init() throws {
      meshes = ["Ada", "Ben"].map {
        Mesh(cryptography: SealedCryptography(Identity.generate()), name: $0, now: .zero)
      }
      for index in meshes.indices { meshes[index].linkUp(link, endpoint: "the other", at: moment) }
      pass()
      // Both have pinned each other: each has written to the other.
      for (from, to) in [(0, 1), (1, 0)] {
        try send(from: from, to: to)
        pass()
      }
    }

    private var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    /// One text one way and its receipt back.
    func exchange() throws {
      let before = delivered
      now = now + .milliseconds(1)
      wallClock = wallClock.advanced(by: .milliseconds(1))
      try send(from: 0, to: 1)
      pass()
      guard delivered == before + 1 else { throw Failure("no receipt came back") }
    }

    private func send(from sender: Int, to recipient: Int) throws {
      _ = try meshes[sender].send(
        "Shall we meet at the bridge, at eight in the evening?",
        to: meshes[recipient].ownFingerprint.number, at: moment)
    }

    /// Carries packets between the two until there are none.
    private func pass() {
      var isQuiet = false
      while !isQuiet {
        isQuiet = true
        for index in meshes.indices {
          while meshes[index].hasWork { meshes[index].work(at: moment) }
          for effect in meshes[index].takeEffects() {
            isQuiet = false
            switch effect {
            case .send(let packet, _):
              meshes[1 - index].receive(packet.view, from: link, at: moment)
            case .state(_, .delivered): delivered += 1
            default: keep(effect)
            }
          }
        }
      }
    }
  }
}
