internal import CallSignal
internal import Chat
internal import Mesh
internal import Terminal

extension Node: DirectRoadObserver {
  /// Carries out an effect of a call.
  func carryOutCall(_ effect: MeshEffect) {
    switch effect {
    case .call(let report):
      if case .ended = report.state { isMuted = false }
      front.show(.call(CallStatus(report)))
      if case .connected = report.state, !hasToldOfSilence {
        hasToldOfSilence = true
        log(.warning, "this version's calls connect, but carry no sound yet")
      }
    case .offerDirectRoad(let nonce): directRoad?.offer(nonce)
    case .joinDirectRoad(let nonce): directRoad?.join(nonce)
    case .leaveDirectRoad: directRoad?.leave()
    case .sendDirectly(let frame): directRoad?.send(frame)
    // Nothing plays sound yet: the frames show that the other side is there.
    case .play: break
    case .send, .close, .show, .remember, .state, .person, .claimed, .contacts, .warning: break
    }
  }

  /// Silences our own side of the call, or lets it be heard again.
  func mute(_ isMuted: Bool) throws(MeshRefusal) {
    guard case .connected? = mesh.call?.state else { throw .noCall }
    self.isMuted = isMuted
  }

  public func directRoad(received datagram: RawSpan) -> Bool {
    let isFrame = mesh.receiveDirectly(datagram, at: clock.moment)
    carryOut()
    return isFrame
  }

  public func directRoad(hasAddress: Bool) {
    mesh.directAddress(isKnown: hasAddress, at: clock.moment)
    carryOut()
  }
}
