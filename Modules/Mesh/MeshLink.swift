internal import Wire

/// What the mesh knows of one link that is up.
struct MeshLink: Sendable {
  /// Sealed packets for us that wait for their turn to be opened.
  static let maximumOpenQueue = 64
  /// Packets that no honest relay lets pass, before the link is closed.
  static let maximumRefusals = 64
  static let refusalWindow: Duration = .seconds(10)
  /// The second hello after a link came up, because the first can race the other side's set-up.
  static let secondHelloDelay: Duration = .milliseconds(1_500)

  /// Equal for links that certainly end at one host, by one transport.
  let endpoint: String
  /// Who the other end claims to be: the sender of the last hello that came with all its hops.
  var claimedBy: PublicKeys?
  var secondHelloDue: Instant?
  var openQueue: [Packet] = []
  var refusals = FaultWindow(limit: maximumRefusals, window: refusalWindow)
}
