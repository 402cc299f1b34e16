/// Every bound and every time of the Wi-Fi link, in one place.
///
/// Tests lower them; what ships is `standard`.
struct WiFiLimits: Sendable {
  static let standard = WiFiLimits()

  // MARK: Dialling

  /// A dial not ready by then is cancelled (PROTOCOL, section 8).
  var dialTimeout: Duration = .seconds(10)
  /// The next address of a target is tried beside the first after this long (RFC 8305, section 5).
  var stagger: Duration = .milliseconds(250)
  /// Addresses of one target tried at once.
  var dialsPerTarget = 4
  /// Addresses of all targets tried at once; each is a descriptor.
  var dials = 64
  /// Dials begun a second in the long run, so that a flood of made-up services costs little.
  var dialsPerSecond = 20
  /// An answer to where a service or a host name is, is waited for this long.
  var resolutionTimeout: Duration = .seconds(10)
  /// Services and host names asked about at once.
  var resolutions = 64
  /// However often a target is announced anew, it is tried no more than once in this time.
  var minimumRoundInterval: Duration = .seconds(1)
  /// First pause after a failure, doubled each time up to `maximumBackoff`.
  var firstBackoff: Duration = .seconds(1)
  var maximumBackoff: Duration = .seconds(15)
  /// Pause before a target that broke the rules is dialled again.
  var penalty: Duration = .seconds(60)
  /// A link that held this long shows that dialling is worth while: the next pause is the first.
  var settledAfter: Duration = .seconds(10)
  /// A service that is announced no more is still tried this long: a removal is no sign that its
  /// host is gone.
  var keepTryingAfterRemoval: Duration = .seconds(600)

  // MARK: Tables

  /// Services that we dial.
  var services = 256
  /// Peers named by the user.
  var peers = 64
  /// Places where one service is seen: interfaces times protocols.
  var sightingsPerService = 16
  /// Addresses kept of one target.
  var addressesPerTarget = 8
  /// Instance names we had, after others had them too.
  var ownNames = 16

  // MARK: Connections that others make

  /// Connections accepted and alive.
  ///
  /// Lowered where the process may not have that many descriptors.
  var accepted = 1_024
  /// Of them, those of one other host; this machine's own programs may have them all.
  var acceptedPerHost = 64
  /// A connection that brings no packet within this time is closed.
  var proofTimeout: Duration = .seconds(30)
  /// One that brings none at first is told to those above after this long: scanners and floods are
  /// gone by then, and whoever waits for our hello before sending its own gets it.
  var silence: Duration = .seconds(1)
  /// Descriptors left for everything else in this process.
  var reservedDescriptors = 160

  // MARK: Links

  /// A link is probed this long after resume or a change of the network, then left to keepalive.
  var probing: Duration = .seconds(15)
  /// Bytes that wait on one link; a packet over it is shed.
  var queuedBytes = 512 * 1_024
  /// Bytes of voice that wait on one link, over a second of it; the oldest are shed.
  var queuedVoiceBytes = 8 * 1_024
  /// A link that takes no byte for this long, while some wait, is closed.
  var stallTimeout: Duration = .seconds(15)

  init() {}
}
