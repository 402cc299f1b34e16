public import Wire

/// The road that a call's frames take.
public enum CallRoad: String, Hashable, Sendable, CaseIterable {
  case mesh
  case direct
}

/// Where a call stands.
public struct CallStatus: Hashable, Sendable {
  /// The states a call goes through.
  public enum State: Hashable, Sendable {
    /// We call, and the other side has not answered.
    case calling
    /// The other side calls us.
    case ringing
    case connected
    case ended(Reason)
  }

  /// Why a call is over.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// We hung up.
    case hungUp = "hung-up"
    /// The other side hung up.
    case remoteEnded = "remote-ended"
    /// The other side declined, or was in a call.
    case declined
    /// We declined.
    case declinedHere = "declined-here"
    /// The caller gave up before it was answered.
    case missed
    /// Nobody answered for a minute.
    case noAnswer = "no-answer"
    /// Nothing was heard for 30 seconds.
    case lost
    /// The call could not go on here: sound, keys or the node's end.
    case failed
  }

  public let state: State
  public let peer: Fingerprint
  public let nonce: CallNonce
  public let road: CallRoad?
  /// What a call that has ended was like; nil when nobody could speak in it.
  public let summary: CallSummary?

  public init(
    state: State, peer: Fingerprint, nonce: CallNonce, road: CallRoad? = nil,
    summary: CallSummary? = nil
  ) {
    self.state = state
    self.peer = peer
    self.nonce = nonce
    self.road = road
    self.summary = summary
  }
}

/// What a call was like, told at its end.
public struct CallSummary: Hashable, Sendable {
  /// For how long both could speak.
  public let length: Duration
  /// Of that, how much the direct road carried.
  public let directPercent: Int
  /// Of the other side's frames that were due, those that never came; nil without sound.
  public let lossPercent: Int?
  /// The longest that frames waited to be played; nil without sound.
  public let worstBufferMilliseconds: Int?

  public init(
    length: Duration, directPercent: Int, lossPercent: Int?, worstBufferMilliseconds: Int?
  ) {
    self.length = length
    self.directPercent = directPercent
    self.lossPercent = lossPercent
    self.worstBufferMilliseconds = worstBufferMilliseconds
  }
}

/// How a call sounds, told every 2 s.
public struct CallQuality: Hashable, Sendable {
  public let peer: Fingerprint
  public let road: CallRoad
  /// Frames that never came, of those due since the last report.
  public let lossPercent: Int
  public let jitterMilliseconds: Int
  /// What waits to be played.
  public let bufferMilliseconds: Int
  /// What the canceller takes away.
  public let echoRemovedDB: Int
  /// The audio process's share of one core.
  public let cpuPercent: Int

  public init(
    peer: Fingerprint, road: CallRoad, lossPercent: Int, jitterMilliseconds: Int,
    bufferMilliseconds: Int, echoRemovedDB: Int, cpuPercent: Int
  ) {
    self.peer = peer
    self.road = road
    self.lossPercent = lossPercent
    self.jitterMilliseconds = jitterMilliseconds
    self.bufferMilliseconds = bufferMilliseconds
    self.echoRemovedDB = echoRemovedDB
    self.cpuPercent = cpuPercent
  }
}
