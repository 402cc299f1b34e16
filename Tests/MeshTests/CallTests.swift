import CallSignal
import Identity
import Mesh
import Testing
import Wire

@Suite("calls over the mesh") struct CallTests {
  typealias Net = TestNet<ModelCryptography>

  /// Devices in a row, everyone having heard everyone that is two hops away or nearer.
  private func chain(_ count: Int) -> Net {
    let net = Net(seed: 7)
    for device in 0..<count { _ = net.add(person: UInt64(device + 1)) }
    for device in 1..<count { net.join(device - 1, device) }
    net.run(for: .seconds(5))
    return net
  }

  private func call(_ net: Net, _ caller: Int, _ callee: Int) throws {
    let fingerprint = net[callee].mesh.ownFingerprint
    try net.attempt(caller) {
      try $0.call(fingerprint.number, fingerprint: fingerprint, at: $1)
    }
  }

  private func connect(_ net: Net, _ caller: Int, _ callee: Int) throws {
    try call(net, caller, callee)
    net.run(for: .milliseconds(100))
    try net.attempt(callee) { try $0.answerCall(at: $1) }
    net.run(for: .milliseconds(100))
  }

  @Test("two neighbours call, speak both ways and hang up; both are pinned by it")
  func neighbours() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    #expect(net[0].effects.callStates == [.calling, .connected(.mesh)])
    #expect(net[1].effects.callStates == [.ringing, .connected(.mesh)])
    net.perform(0) { $0.speak([1, 2, 3], at: $1) }
    net.perform(1) { $0.speak([4, 5], at: $1) }
    net.run(for: .milliseconds(50))
    #expect(net[1].effects.played.contains([1, 2, 3]))
    #expect(net[0].effects.played.contains([4, 5]))
    #expect(net[0].mesh.contacts.contacts.count == 1 && net[1].mesh.contacts.contacts.count == 1)
    try net.attempt(1) { try $0.hangUp(at: $1) }
    net.run(for: .seconds(2))
    #expect(net[0].effects.callStates.last == .ended(.remoteEnded))
    #expect(net[1].effects.callStates.last == .ended(.hungUp))
    #expect(net[0].mesh.call == nil && net[1].mesh.call == nil)
  }

  @Test(
    "frames are voice packets with one hop, to the other's fingerprint, 20 bytes over the sound")
  func packets() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    net.perform(0) { $0.speak([UInt8](repeating: 9, count: 60), at: $1) }
    let voice = try #require(net[0].effects.sends(.voice).last?.packet)
    #expect(voice.header.hopLimit == 1)
    #expect(voice.header.destination == net[1].mesh.ownFingerprint)
    #expect(voice.payload.count == 80)
  }

  @Test("signals go over others; sound does not, so the call is told to be quiet, then lost")
  func overOthers() throws {
    let net = chain(3)
    try connect(net, 0, 2)
    #expect(net[0].effects.callStates.last == .connected(.mesh))
    #expect(net[2].effects.callStates.last == .connected(.mesh))
    net.run(for: .seconds(31))
    #expect(net[1].effects.sends(.voice).isEmpty)
    #expect(net[2].effects.played.isEmpty)
    #expect(net[2].effects.warnings == [.callQuiet(net[0].mesh.ownFingerprint)])
    #expect(net[2].effects.callStates.last == .ended(.lost))
  }

  @Test("sound takes the links on which the other side is heard, and all of them before that")
  func links() throws {
    let net = chain(2)
    _ = net.add(person: 3)
    net.join(0, 1)
    net.join(0, 2)
    net.run(for: .seconds(3))
    try call(net, 0, 1)
    net.run(for: .milliseconds(100))
    try net.attempt(1) { try $0.answerCall(at: $1) }
    // The answer is there, and no frame of the callee's yet.
    net.run(for: .milliseconds(10))
    net.perform(0) { $0.speak([1], at: $1) }
    net.run(for: .milliseconds(500))
    net.perform(0) { $0.speak([2], at: $1) }
    let links = net[0].effects.sends(.voice).map(\.links)
    #expect(links.first?.count == 3)
    #expect(links.last?.sorted() == [net.lines[0].links[0], net.lines[1].links[0]].sorted())
    // A link that goes down is sent on no more.
    net.cut(0)
    net.perform(0) { $0.speak([3], at: $1) }
    #expect(net[0].effects.sends(.voice).last?.links == [net.lines[1].links[0]])
  }

  @Test("nothing of a call is queued; who comes near while it rings is rung within 2 s")
  func neverQueued() throws {
    let net = chain(2)
    net.cut(0)
    let before = net[0].effects.sends.count
    try call(net, 0, 1)
    net.run(for: .seconds(20))
    #expect(net[0].effects.sends.count == before)
    #expect(net[0].effects.callStates == [.calling])
    net.connect(0)
    net.run(for: .milliseconds(2_100))
    #expect(net[1].effects.callStates == [.ringing])
    let invites = net[1].mesh.statistics.first { $0.name == "mesh.call-signals" }?.value
    #expect(invites == 1)
  }

  @Test("a stranger rings, and is known and pinned once answered")
  func stranger() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    #expect(net[1].contacts.standing(of: net[0].mesh.ownKeys) == .pinned)
  }

  @Test("both call at once: one call comes of it")
  func glare() throws {
    let net = chain(2)
    try call(net, 0, 1)
    try call(net, 1, 0)
    net.run(for: .seconds(1))
    #expect(net[0].effects.callStates == [.calling, .connected(.mesh)])
    #expect(net[1].effects.callStates == [.calling, .connected(.mesh)])
    #expect(net[0].mesh.call?.nonce == net[1].mesh.call?.nonce)
  }

  @Test("commands are refused where there is nobody to call and nothing to answer")
  func refused() throws {
    let net = chain(3)
    let own = net[0].mesh.ownFingerprint.number
    #expect(throws: MeshRefusal.isSelf) { try net.attempt(0) { try $0.call(own, at: $1) } }
    let nobody = Number(Fingerprint(value: 1 << 40))
    #expect(throws: MeshRefusal.unknownNumber(nobody)) {
      try net.attempt(0) { try $0.call(nobody, at: $1) }
    }
    #expect(throws: MeshRefusal.noCall) { try net.attempt(0) { try $0.answerCall(at: $1) } }
    #expect(throws: MeshRefusal.noCall) { try net.attempt(0) { try $0.declineCall(at: $1) } }
    #expect(throws: MeshRefusal.noCall) { try net.attempt(0) { try $0.hangUp(at: $1) } }
    try call(net, 0, 1)
    #expect(throws: MeshRefusal.busy) { try call(net, 0, 2) }
    let number = net[2].mesh.ownFingerprint.number
    try net.attempt(0) { try $0.block(number, true, at: $1) }
    #expect(throws: MeshRefusal.blocked(number)) { try call(net, 0, 2) }
  }

  @Test("the blocked do not ring, and whoever is blocked in a call is out of it")
  func blocked() throws {
    let net = chain(2)
    let number = net[0].mesh.ownFingerprint.number
    try net.attempt(1) { try $0.block(number, true, at: $1) }
    try call(net, 0, 1)
    net.run(for: .seconds(5))
    #expect(net[1].effects.callStates == [])
    try net.attempt(0) { try $0.hangUp(at: $1) }
    try net.attempt(1) { try $0.block(number, false, at: $1) }
    net.run(for: .seconds(5))
    try connect(net, 0, 1)
    try net.attempt(1) { try $0.block(number, true, at: $1) }
    net.run(for: .seconds(1))
    #expect(net[1].effects.callStates.last == .ended(.hungUp))
    #expect(net[0].effects.callStates.last == .ended(.remoteEnded))
  }

  @Test("keys that contradict a pin do not ring; a call with keys given up for others ends")
  func otherKeys() throws {
    var test = TestMesh()
    test.up(1)
    var right = Speaker(ModelCryptography.triplets[0], name: "right")
    var wrong = Speaker(ModelCryptography.triplets[1], name: "wrong")
    test.hear(&right, on: 1)
    try test.mesh.call(right.number, at: test.moment)
    _ = test.mesh.takeEffects()
    let invite = wrong.sealed(
      .callSignal(.invite(CallNonce(random: 1), AgreementPublicKey(wrong.keys.agreement.bytes)!)),
      to: test.keys, at: test.wallClock)
    #expect(test.receive(invite, on: 1).callStates == [])
    #expect(test.mesh.call?.state == .calling)
    try test.mesh.accept(wrong.number, fingerprint: wrong.fingerprint, at: test.moment)
    #expect(test.mesh.takeEffects().callStates == [.ended(.failed)])
  }

  @Test("the direct road is offered before the invite, joined at the answer, and left at the end")
  func directRoad() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    let nonce = try #require(net[0].mesh.call?.nonce)
    let offer = try #require(net[0].effects.firstIndex(of: .offerDirectRoad(nonce)))
    let invite = try #require(
      net[0].effects[offer...].firstIndex { if case .send = $0 { true } else { false } })
    #expect(offer < invite)
    #expect(net[1].effects.contains(.joinDirectRoad(nonce)))
    try net.attempt(0) { try $0.hangUp(at: $1) }
    net.run(for: .seconds(1))
    #expect(net[0].effects.contains(.leaveDirectRoad) && net[1].effects.contains(.leaveDirectRoad))
  }

  @Test("with an address frames go both ways; a direct frame is told, and then the mesh is left")
  func direct() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    net.perform(1) { $0.directAddress(isKnown: true, at: $1) }
    net.perform(1) { $0.speak([7], at: $1) }
    let frame = try #require(net[1].effects.direct.last)
    #expect(net[1].effects.sends(.voice).last?.packet.payload == ArraySlice(frame))
    var verdicts: [DirectEvidence] = []
    net.perform(0) {
      verdicts.append($0.receiveDirectly([1, 2, 3].span.bytes, at: $1))
      verdicts.append($0.receiveDirectly(frame.span.bytes, at: $1))
      verdicts.append($0.receiveDirectly(frame.span.bytes, at: $1))
      $0.directAddress(isKnown: true, at: $1)
    }
    #expect(verdicts == [.none, .proof, .none])
    #expect(net[0].effects.callStates.last == .connected(.direct))
    let before = net[0].effects.sends(.voice).count
    net.perform(0) { $0.speak([8], at: $1) }
    #expect(net[0].effects.sends(.voice).count == before)
    #expect(net[0].effects.direct.count == 1)
    // The copy that the mesh brings of the same frame plays nothing.
    net.run(for: .milliseconds(10))
    #expect(net[0].effects.played.filter { $0 == [7] }.count == 1)
  }

  @Test("a frame that the mesh brought first hints at an address, and plays once")
  func slowerDirect() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    net.perform(1) { $0.directAddress(isKnown: true, at: $1) }
    net.perform(1) { $0.speak([7], at: $1) }
    let frame = try #require(net[1].effects.direct.last)
    net.run(for: .milliseconds(10))
    var verdicts: [DirectEvidence] = []
    net.perform(0) {
      verdicts.append($0.receiveDirectly(frame.span.bytes, at: $1))
      verdicts.append($0.receiveDirectly(frame.span.bytes, at: $1))
    }
    #expect(verdicts == [.hint, .none])
    #expect(net[0].effects.played.filter { $0 == [7] }.count == 1)
  }

  @Test("who is answered by a program is not pinned by it")
  func answeredByProgram() throws {
    let net = chain(2)
    try call(net, 0, 1)
    net.run(for: .milliseconds(100))
    try net.attempt(1) { try $0.answerCall(isOwnAct: false, at: $1) }
    net.run(for: .milliseconds(100))
    #expect(net[1].effects.callStates.last == .connected(.mesh))
    #expect(net[1].mesh.contacts.contacts.isEmpty)
    let caller = net[0].mesh.ownFingerprint
    try net.attempt(1) {
      _ = try $0.send(
        "echo", to: caller.number, fingerprint: caller, isOwnAct: false, at: $1)
    }
    net.run(for: .seconds(2))
    #expect(net[1].mesh.contacts.contacts.isEmpty)
    #expect(net[1].mesh.waitingMessages == 0)
  }

  @Test("a node that stops ends its call and says so")
  func stops() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    net.perform(0) { $0.stop(at: $1) }
    net.run(for: .milliseconds(100))
    #expect(net[0].effects.callStates.last == .ended(.failed))
    #expect(net[1].effects.callStates.last == .ended(.remoteEnded))
  }

  @Test("hellos and signals carry times that only grow")
  func times() throws {
    let net = chain(2)
    try connect(net, 0, 1)
    net.perform(0) { $0.announce(at: $1) }
    net[0].clockOffset = .seconds(-60)
    try net.attempt(0) { try $0.hangUp(at: $1) }
    net.run(for: .seconds(2))
    let times = net[0].effects.sends
      .filter { $0.packet.header.kind != .voice }
      .filter { $0.packet.header.destination != net[0].mesh.ownFingerprint }
      .map(\.packet).filter { $0.header.hopLimit > 1 }.map(\.header.time)
    let own = times.filter { $0 >= times[0] }
    #expect(zip(own, own.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(net[1].effects.callStates.last == .ended(.remoteEnded))
  }

  @Test("voice that nobody sent us, and voice outside a call, plays nothing and closes nothing")
  func strangeVoice() throws {
    var test = TestMesh()
    test.up(1)
    for length in [21, 80, 1_400] {
      let packet = Packet(
        kind: .voice, hopLimit: 1, time: test.wallClock, id: PacketID(),
        destination: test.fingerprint,
        payload: [UInt8](repeating: 1, count: length))
      let effects = test.receive(packet, on: 1)
      #expect(effects.played.isEmpty && effects.closed.isEmpty)
    }
  }
}
