public import Wire

/// What the state machine of calls wants done, in this order.
public enum CallEffect: Hashable, Sendable {
  /// Seal the signal and send it on every link at hand, in a new packet; never queue it.
  case send(CallSignal, to: PublicKeys)
  /// Tell the user where the call stands.
  case report(CallReport)
  /// Tell the user that nothing has been heard for 5 s.
  case quiet(CallParty)
  /// Publish the direct road under this name: the signal behind this effect says that it is there.
  case offerDirect(CallNonce)
  /// Look for the direct road of this name.
  case joinDirect(CallNonce)
  /// Give the direct road up, offered or joined.
  case leaveDirect
  /// Send a sealed frame.
  case transmit(CallTransmission)
}

/// Where a call stands.
public struct CallReport: Hashable, Sendable {
  public enum State: Hashable, Sendable {
    /// We call, and the other side has not answered.
    case calling
    /// The other side calls us.
    case ringing
    /// Both can speak; said again when another road carries.
    case connected(Road)
    case ended(Ending)
  }

  public let state: State
  public let party: CallParty
  public let nonce: CallNonce

  public init(state: State, party: CallParty, nonce: CallNonce) {
    self.state = state
    self.party = party
    self.nonce = nonce
  }
}

/// The road that a call's frames take.
public enum Road: Hashable, Sendable {
  case mesh
  case direct
}

/// Why a call is over.
public enum Ending: Hashable, Sendable, CaseIterable {
  /// We hung up.
  case hungUp
  /// The other side hung up.
  case remoteEnded
  /// The other side declined, or was in a call.
  case declined
  /// We declined.
  case declinedHere
  /// The caller gave up before it was answered, or somebody known called meanwhile.
  case missed
  /// Nobody answered for a minute.
  case noAnswer
  /// Nothing was heard for 30 s.
  case lost
  /// It could not go on: keys that give no secret, or no sequence left.
  case failed
}

/// One sealed frame and the roads it takes: the same bytes on all of them.
public struct CallTransmission: Hashable, Sendable {
  /// The links of the mesh that a frame goes out on.
  public enum MeshRoad: Hashable, Sendable {
    case none
    case everyLink
    /// Those on which the other side was heard within the last second.
    case links([LinkID])
  }

  public let to: Fingerprint
  public let frame: [UInt8]
  public let mesh: MeshRoad
  public let isDirect: Bool

  public init(to: Fingerprint, frame: [UInt8], mesh: MeshRoad, isDirect: Bool) {
    self.to = to
    self.frame = frame
    self.mesh = mesh
    self.isDirect = isDirect
  }
}

/// What a frame that came in was.
public enum FrameVerdict: Hashable, Sendable {
  /// Opened for the first time: to be played. One that came directly teaches its sender's address.
  case fresh(sequence: UInt32, opus: [UInt8])
  /// Opened, and was had before.
  case copy
  /// Opened, and a link brought it before; directly it came for the first time, and so hints at its
  /// sender's address.
  case slower
  /// Did not open, is too old to tell, or there is no call.
  case refused
}

/// Why a command cannot be carried out.
public enum CallRefusal: Error, Hashable, Sendable {
  /// There is a call already.
  case busy
  /// There is no call that this could be about.
  case noCall
}
