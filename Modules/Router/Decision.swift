extension Router {
  /// What becomes of one packet that came in.
  public enum Decision: Hashable, Sendable, BitwiseCopyable {
    /// Seen for the first time, and good.
    ///
    /// `deliver`: it is for this device, or a hello. `relayHopLimit`: to be sent with this hop
    /// limit on every link but the one it came in on. Neither: it ends here.
    case accept(deliver: Bool, relayHopLimit: UInt8?)
    /// Had already, and not delivered again; what is still to be done with this copy is in it.
    case duplicate(Copy)
    /// Refused; the reason is counted, and nothing of it is remembered.
    case drop(DropReason)
  }

  /// What a copy of a packet already seen still tells.
  public struct Copy: Hashable, Sendable, BitwiseCopyable {
    /// A hello of someone else's came straight from the device at the other end of this link.
    public var isHelloAtFullHops = false
    /// A frame of voice for this device came in on this link too.
    public var isVoice = false
    /// Set when every copy before had no hops left: this one is relayed, with this hop limit.
    public var relayHopLimit: UInt8?

    public init(
      isHelloAtFullHops: Bool = false, isVoice: Bool = false, relayHopLimit: UInt8? = nil
    ) {
      self.isHelloAtFullHops = isHelloAtFullHops
      self.isVoice = isVoice
      self.relayHopLimit = relayHopLimit
    }
  }

  /// Why a packet is dropped; the raw value names the counter.
  public enum DropReason: String, Error, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// Another version of the protocol.
    case otherVersion = "other-version"
    /// A kind that this version does not know.
    case unknownKind = "unknown-kind"
    /// A payload length that its kind does not have.
    case badLength = "bad-length"
    /// More hops left than its kind may have.
    case hopLimitOverKind = "hop-limit-over-kind"
    /// A hello is for everyone, always.
    case helloToOne = "hello-to-one"
    /// Voice is for one person, always.
    case voiceToEveryone = "voice-to-everyone"
    /// More than six hours old.
    case tooOld = "too-old"
    /// More than fifteen minutes ahead of this device's clock.
    case tooFarAhead = "too-far-ahead"
    /// Voice is never relayed.
    case voiceForAnother = "voice-for-another"
    /// A hello whose signature does not hold.
    case badSignature = "bad-signature"
    /// The link's share of packets for others is used up.
    case overShare = "over-share"
    /// This device relays no more for now, of this link at least.
    case overRelayShare = "over-relay-share"
    /// The link's share of hellos to be verified is used up.
    case overHelloShare = "over-hello-share"
    /// The link's share of voice is used up.
    case overVoiceShare = "over-voice-share"
    /// It came from a link that is not up.
    case unknownLink = "unknown-link"
  }
}
