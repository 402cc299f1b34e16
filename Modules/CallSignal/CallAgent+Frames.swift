public import Wire

extension CallAgent {
  /// Seals a frame of Opus and sends it down the roads that are right now.
  ///
  /// Nothing while nobody can speak, or for a frame that no packet takes.
  public mutating func send(_ opus: [UInt8], at now: Instant) {
    guard VoiceFrame.lengths.contains(opus.count + VoiceFrame.overhead), let call = live,
      call.isConnected
    else { return }
    guard let (frame, mesh, isDirect) = live?.conversation?.seal(opus, at: now) else {
      // No sequence is left, and none is ever used again.
      end(.failed, at: now)
      return
    }
    effects.append(
      .transmit(
        CallTransmission(
          to: call.party.fingerprint, frame: frame, mesh: mesh, isDirect: isDirect)))
  }

  /// Takes in a frame, from wherever.
  public mutating func receive(
    _ frame: RawSpan, from source: FrameSource, at now: Instant
  ) -> FrameVerdict {
    let verdict = live?.conversation?.open(frame, from: source, at: now) ?? .refused
    switch verdict {
    case .fresh: counters.freshFrames += 1
    case .copy, .slower: counters.copiedFrames += 1
    case .refused: counters.refusedFrames += 1
    }
    noteCarrier(at: now)
    return verdict
  }

  /// Tells when another road carries.
  mutating func noteCarrier(at now: Instant) {
    if live?.conversation?.noteCarrier(at: now) == true { report() }
  }
}
