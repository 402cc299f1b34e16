internal import Chat
internal import Link
internal import Mesh
internal import Terminal
internal import Wire

extension Node {
  /// Carries out what a person or a program asks.
  func take(_ request: ChatRequest) {
    do throws(MeshRefusal) {
      try carryOut(request.command, ref: request.ref)
    } catch {
      front.show(.error(ChatError(error), ref: request.ref))
    }
    carryOut()
  }

  private func carryOut(_ command: ChatCommand, ref: String?) throws(MeshRefusal) {
    switch command {
    case .send(let to, let text):
      let id = try mesh.send(text, to: to.number, fingerprint: to.fingerprint, at: clock.moment)
      references[id] = ref
    case .accept(let number, let fingerprint):
      try mesh.accept(number, fingerprint: fingerprint, at: clock.moment)
    case .verify(let who, let isSame):
      let keys =
        isSame
        ? try mesh.verify(who.number, fingerprint: who.fingerprint)
        : try mesh.keys(who.number, fingerprint: who.fingerprint)
      front.show(.safety(safetyNumber(with: keys), ref: ref))
    case .block(let who, let isBlocked): try mesh.block(who.number, isBlocked, at: clock.moment)
    case .peers:
      front.show(.peers(mesh.everyone.map { Peer($0, isNew: false) }, ref: ref))
    case .links:
      let up = links.keys.sorted().map { status(of: $0, isUp: true) }
      front.show(.links(up, ref: ref))
    case .stats: front.show(.stats(statistics, ref: ref))
    case .announce: announce()
    case .quit: stop()
    case .call(let to):
      try mesh.call(to.number, fingerprint: to.fingerprint, at: clock.moment)
    case .answer(let nonce): try mesh.answerCall(nonce, at: clock.moment)
    case .decline(let nonce): try mesh.declineCall(nonce, at: clock.moment)
    case .hangUp(let nonce): try mesh.hangUp(nonce, at: clock.moment)
    case .mute(let isMuted): try mute(isMuted)
    }
  }

  private func safetyNumber(with keys: PublicKeys) -> SafetyNumber {
    let person = mesh.everyone.first { $0.keys == keys }
    return SafetyNumber(
      peer: mesh.fingerprint(of: keys), digits: safetyDigits(mesh.ownKeys, keys),
      isVerified: person?.isVerified == true)
  }

  /// Counters and bounds of everything that runs.
  private var statistics: [Statistic] {
    mesh.statistics.map { Statistic(name: $0.name, value: $0.value, limit: $0.limit) }
      + transports.flatMap { transport in
        transport.statistics.map {
          Statistic(name: "\(transport.name).\($0.name)", value: $0.value)
        }
      } + [Statistic(name: "node.links", value: links.count)]
      + (sound?.statistics ?? []).map { Statistic(name: "sound.\($0.name)", value: $0.value) }
      + (tap.map { [Statistic(name: "capture.left-out", value: $0.leftOut)] } ?? [])
  }
}

extension Recipient {
  /// The keys that are meant, where the number alone does not say.
  var fingerprint: Fingerprint? {
    switch self {
    case .number: nil
    case .fingerprint(let fingerprint): fingerprint
    }
  }
}
