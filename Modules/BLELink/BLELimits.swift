/// Every bound and every time of the Bluetooth link, in one place.
///
/// Tests lower them; what ships is `standard`.
package struct BLELimits: Sendable {
  package static let standard = BLELimits()

  // MARK: Chunks (PROTOCOL, section 8)

  /// No chunk need be smaller: ATT's smallest MTU leaves this much.
  var smallestChunk = 20
  /// bluetoothd 5.66 drops longer writes in silence, whatever the MTU allows.
  var largestChunk = 510
  /// Where the stack does not say.
  var unreportedChunk = 180
  /// With this many chunks waiting a link takes no more packets.
  var queuedChunks = 64
  /// Voice packets that wait, 0.2 s of a call; for a newer one the oldest is shed.
  var queuedVoice = 10
  /// Voice that waited longer is shed when its turn comes: it would not be played any more.
  var voiceAge: Duration = .milliseconds(400)
  /// Left between the chunks of one packet on a path that may reorder: some intervals of an LE
  /// connection, so that the one has left before the next can overtake it.
  var pace: Duration = .milliseconds(25)
  /// A link that takes no chunk for this long, while some wait, is closed.
  var stallTimeout: Duration = .seconds(15)

  // MARK: Connecting

  /// A connection without the `client` path by then is given up.
  var connectTimeout: Duration = .seconds(15)
  /// The same for a device that is not heard just now: scanning rests for as long.
  var blindTimeout: Duration = .seconds(5)
  /// Between two such attempts of one controller, so that it hears who is there.
  var blindInterval: Duration = .seconds(10)
  /// A device counts as heard for this long after a sighting.
  var heardFor: Duration = .seconds(10)
  /// A device once linked and heard no more is tried this long; after that a sighting is waited for.
  var keepTrying: Duration = .seconds(600)
  /// Two who hear each other at once do not connect at once: each waits a random part of this.
  var longestHesitation: Duration = .milliseconds(500)
  /// Pause after a failure, doubled each time up to `maximumBackoff`.
  var firstBackoff: Duration = .seconds(1)
  var maximumBackoff: Duration = .seconds(30)
  /// However often a device is heard, connecting is begun no more than once in this time.
  var minimumInterval: Duration = .seconds(1)
  /// Pause after a device broke the rules; its own connections are refused meanwhile.
  var penalty: Duration = .seconds(60)
  /// A link that held this long shows that connecting is worth while: the next pause is the first.
  var settledAfter: Duration = .seconds(10)
  /// A link that brings no packet within this time is closed: connections are few.
  var proofTimeout: Duration = .seconds(30)
  /// Links of one device that come up in `flapWindow`; more is breaking the rules.
  var flaps = 12
  var flapWindow: Duration = .seconds(60)

  // MARK: Controllers

  /// Connections of a controller that does not say how many it holds.
  var connections = 7
  /// Of them, those that are left for others to make.
  var reservedConnections = 1
  /// Scanning that hears nobody for this long is begun anew: it may have ended in silence.
  var scanRenewal: Duration = .seconds(30)
  /// Pause before scanning or advertising that ended by itself is begun again, doubled when it ends
  /// again soon.
  var restartPause: Duration = .seconds(1)
  /// A controller of one role at a time stays in each for a random time between these.
  var shortestTurn: Duration = .seconds(2)
  var longestTurn: Duration = .seconds(5)

  // MARK: Tables

  var adapters = 16
  var devices = 128
  /// A device never linked is forgotten when it was not heard for this long.
  var forgottenAfter: Duration = .seconds(60)
  /// Addresses kept for a controller that comes back.
  var remembered = 32

  package init() {}
}
