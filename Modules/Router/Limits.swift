public import Wire

extension Router {
  /// Every bound and number of the router in one place (PROTOCOL, section 3).
  public struct Limits: Sendable {
    /// Entries of the table that hellos and packets for others share.
    public var seenPackets = 8_192
    /// Entries of voice for us.
    ///
    /// Fifty packets a second would push every message out of the shared table within minutes.
    public var seenVoice = 256
    /// Entries of sealed packets for us, which cost their link no token.
    public var seenSealedForUs = 1_024
    /// How long an entry counts; the last moment included.
    public var seenLifetime = Duration.seconds(30 * 60)
    /// The oldest packet that passes; exactly this old passes.
    public var maximumAge = Duration.seconds(6 * 3_600)
    /// The furthest ahead of our clock that passes; exactly this far passes.
    public var maximumLead = Duration.seconds(15 * 60)
    /// Hops above this are cut to it before a packet is relayed.
    public var relayHopLimit: UInt8 = 7
    /// Packets not for us, each link's bucket as it stands when the link comes up.
    public var packets = TokenBucket(capacity: 400, perSecond: 100)
    /// Hellos verified, likewise.
    public var hellos = TokenBucket(capacity: 50, perSecond: 50)
    /// The part of `hellos` for those that came over a relay.
    ///
    /// Less than the whole, so that a neighbour's own hello is heard whatever it relays.
    public var relayedHellos = TokenBucket(capacity: 40, perSecond: 40)
    /// Frames of voice, likewise.
    public var voice = TokenBucket(capacity: 120, perSecond: 120)

    /// Packets relayed in all, whichever links they come in on.
    ///
    /// As many as a neighbour takes from this device's link in the long run. At once, as many as one
    /// link may bring, and `relayReserve` besides.
    public var relayed = TokenBucket(capacity: 600, perSecond: 100)
    /// The last tokens of `relayed`: for links that have asked for no more than an equal part of it.
    ///
    /// Several that flood would otherwise use up, together, what the neighbours take from this
    /// device, and the few packets of everyone else would be lost among theirs.
    public var relayReserve = 200

    public static let standard = Limits()

    public init() {}
  }

  /// The hop limit of a message that starts here, with this many devices in direct range.
  public static func hopLimit(directDevices: Int) -> UInt8 {
    HopLimits.standard.hopLimit(directDevices: directDevices)
  }
}
