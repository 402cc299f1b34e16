import Testing
import Wire

@testable import CallSignal

@Suite("The two roads") struct RoadTests {
  /// A call that talks for 20 ms at a time on both sides.
  private func talk(_ world: CallWorld, for duration: Duration) {
    let end = world.now + duration
    while world.now < end {
      for side in 0...1 where world.isConnected(side) { world.speak(side, [1]) }
      world.run(for: .milliseconds(20))
    }
  }

  private func directCall() throws -> CallWorld {
    let world = CallWorld()
    world.hasDirectRoad = true
    try world.connect()
    talk(world, for: .seconds(1))
    return world
  }

  @Test("every call starts on the mesh and takes the direct road once a frame came by it")
  func moves() throws {
    let world = try directCall()
    #expect(world.state(0) == .connected(.direct) && world.state(1) == .connected(.direct))
    #expect(world.reports(0) == [.calling, .connected(.mesh), .connected(.direct)])
    world.forgetSent()
    talk(world, for: .seconds(5))
    #expect(world.frames(0, .mesh) == [] && world.frames(1, .mesh) == [])
    #expect(world.frames(0, .direct).count == 250)
  }

  @Test("the same bytes go down both roads, and play once")
  func once() throws {
    let world = CallWorld()
    world.hasDirectRoad = true
    // The direct road is found, and whatever is sent on it takes long.
    world.delay = { _, _, item in
      if case .frame(_, .direct) = item { .seconds(1) } else { .milliseconds(5) }
    }
    try world.connect()
    for byte in 0..<50 {
      world.speak(1, [UInt8(byte)])
      world.run(for: .milliseconds(20))
    }
    world.run(for: .seconds(2))
    #expect(world.frames(1, .mesh).prefix(50) == world.frames(1, .direct).prefix(50))
    #expect(world.sides[0].played.prefix(50) == ArraySlice((0..<50).map { [UInt8($0)] }))
    #expect(world.sides[0].played.filter { $0 == [7] }.count == 1)
  }

  @Test(
    "a direct road that is always the slower one is found all the same, and plays nothing twice")
  func slower() throws {
    let world = CallWorld()
    world.hasDirectRoad = true
    world.delay = { _, _, item in
      if case .frame(_, .direct) = item { .milliseconds(8) } else { .milliseconds(5) }
    }
    try world.connect()
    for byte in 0..<50 {
      for side in 0...1 { world.speak(side, [UInt8(byte)]) }
      world.run(for: .milliseconds(20))
    }
    #expect(world.state(0) == .connected(.direct) && world.state(1) == .connected(.direct))
    for side in 0...1 {
      #expect(world.sides[side].played.filter { $0 != Conversation.filler }.count == 50)
    }
    world.forgetSent()
    talk(world, for: .seconds(5))
    #expect(world.frames(0, .mesh) == [] && world.frames(1, .mesh) == [])
  }

  @Test("the slower copy of a frame hints once at an address; one had directly never does again")
  func slowerOnce() throws {
    let world = CallWorld()
    world.delay = { _, _, _ in nil }
    try world.call(0, 1)
    world.delay = { _, _, _ in .milliseconds(5) }
    world.run(for: .seconds(3))
    try world.answer(1)
    world.run(for: .milliseconds(20))
    world.speak(1, [1])
    world.run(for: .milliseconds(20))
    let frame = try #require(world.frames(1, .mesh).last)
    let now = world.now
    let verdicts = (0..<2).map { _ in
      world.sides[0].agent.receive(frame.span.bytes, from: .direct, at: now)
    }
    #expect(verdicts == [.slower, .copy])
  }

  @Test("a direct road that is cut: both roads after 2.5 s, sound again within 3 s, and it is told")
  func cut() throws {
    let world = try directCall()
    world.delay = { _, _, item in
      if case .frame(_, .direct) = item { nil } else { .milliseconds(5) }
    }
    let cutAt = world.now
    let before = world.sides.map(\.played.count)
    talk(world, for: .seconds(3))
    #expect(world.state(0) == .connected(.mesh) && world.state(1) == .connected(.mesh))
    #expect(world.sides[0].played.count > before[0] && world.sides[1].played.count > before[1])
    let told = try #require(
      world.times(0) {
        if case .report(let report) = $0 { report.state == .connected(.mesh) } else { false }
      }.last)
    #expect(told - cutAt <= .milliseconds(2_510))
    // It comes back: both roads are in use, so that it is noticed.
    world.delay = { _, _, _ in .milliseconds(5) }
    talk(world, for: .seconds(1))
    #expect(world.state(0) == .connected(.direct) && world.state(1) == .connected(.direct))
  }

  @Test("a direct road cut one way: who is deaf says so, and is heard within 3 s", arguments: 0...1)
  func oneWay(_ deaf: Int) throws {
    let world = try directCall()
    world.delay = { _, to, item in
      if case .frame(_, .direct) = item, to == deaf { nil } else { .milliseconds(5) }
    }
    let heard = world.sides[deaf].played.count
    world.forgetSent()
    talk(world, for: .milliseconds(700))
    #expect(world.signals(deaf, \.isDeaf).count == 1)
    #expect(world.sides[deaf].played.count > heard, "by the mesh, from half a second on")
    talk(world, for: .seconds(60))
    #expect(world.isConnected(0) && world.isConnected(1))
    let lost = world.frames(1 - deaf, .direct).count - (world.sides[deaf].played.count - heard)
    #expect(lost < 4 * 50, "\(lost) frames of a minute were not heard")
  }

  @Test("each deaf signal after the mesh was left doubles how long it is used: 10 s to 160 s")
  func doubling() {
    var roads = RoadChoice()
    roads.hasDirectAddress = true
    var now = Instant.zero
    var sequence: UInt32 = 0
    func usesMesh() -> Bool {
      sequence += 1
      roads.heardDirectly(sequence, at: now)
      return roads.choose(at: now).mesh != .none
    }
    #expect(!usesMesh())
    for span in [10, 20, 40, 80, 160, 160] {
      roads.heardDeaf(Timestamp(milliseconds: UInt64(sequence) + 1), at: now)
      now = now + .seconds(span) - .milliseconds(1)
      #expect(usesMesh())
      now = now + .milliseconds(1)
      #expect(!usesMesh())
    }
  }

  @Test("deaf signals while the mesh is in use prolong it and double nothing")
  func prolonged() {
    var roads = RoadChoice()
    roads.hasDirectAddress = true
    var now = Instant.zero
    for step: UInt64 in 1...10 {
      roads.heardDeaf(Timestamp(milliseconds: step), at: now)
      roads.heardDirectly(UInt32(step), at: now)
      #expect(roads.choose(at: now).mesh != .none)
      now = now + .seconds(4)
    }
    now = now + .seconds(6)
    roads.heardDirectly(100, at: now)
    #expect(roads.choose(at: now).mesh == .none)
  }

  @Test("a deaf signal that is no newer than the last counts for nothing")
  func oldDeaf() {
    var roads = RoadChoice()
    roads.hasDirectAddress = true
    roads.heardDeaf(Timestamp(milliseconds: 5), at: .zero)
    let later = Instant.zero + .seconds(11)
    roads.heardDirectly(1, at: later)
    #expect(roads.choose(at: later).mesh == .none)
    roads.heardDeaf(Timestamp(milliseconds: 5), at: later)
    roads.heardDeaf(Timestamp(milliseconds: 4), at: later)
    #expect(roads.choose(at: later).mesh == .none)
  }

  @Test("deaf: 0.5 s after the last frame, every 4 s, none before the first frame")
  func deafTimes() throws {
    let world = CallWorld()
    world.delay = { _, _, item in
      if case .frame = item { nil } else { .milliseconds(5) }
    }
    try world.connect()
    world.run(for: .seconds(3))
    #expect(world.signals(0, \.isDeaf) == [] && world.signals(1, \.isDeaf) == [])
    world.delay = { _, _, _ in .zero }
    world.run(for: .milliseconds(300))
    world.speak(0, [5])
    world.run(for: .zero)
    let heard = world.now
    world.delay = { from, _, item in
      if case .frame = item, from == 0 { nil } else { .zero }
    }
    world.forgetSent()
    world.run(for: .seconds(9))
    let times = world.sent.compactMap { sent -> Duration? in
      if case .signal(.deaf, _) = sent.item { sent.time - heard } else { nil }
    }
    #expect(times == [.milliseconds(500), .milliseconds(4_500), .milliseconds(8_500)])
  }

  @Test("a deaf signal is no sign of life")
  func deafIsNoLife() throws {
    let world = CallWorld()
    try world.connect()
    world.run(for: .seconds(1))
    let nonce = try #require(world.sides[0].agent.current?.nonce)
    world.delay = { _, _, _ in nil }
    for _ in 0..<31 {
      world.inject(.deaf(nonce), from: 1, to: 0)
      world.run(for: .seconds(1))
    }
    #expect(world.ending(0) == .lost)
  }

  @Test("copies of our frames that somebody plays back directly keep nothing alive")
  func copied() throws {
    let world = CallWorld()
    try world.connect()
    world.speak(1, [1])
    let frame = try #require(world.frames(1, .mesh).last)
    world.run(for: .milliseconds(10))
    world.delay = { _, _, _ in nil }
    for _ in 0..<310 {
      world.inject(frame, .direct, from: 1, to: 0)
      world.inject(frame, .mesh, from: 1, to: 0)
      world.run(for: .milliseconds(100))
    }
    #expect(world.sides[0].played == [[1]])
    #expect(world.ending(0) == .lost)
  }

  @Test("garbage on either road costs nothing: nothing is played, taught or kept alive")
  func garbage() throws {
    let world = CallWorld()
    world.hasDirectRoad = true
    try world.connect()
    let before = world.sides[0].agent.statistics
    var random = SplitMix64(seed: 3)
    for length in [0, 1, 4, 19, 20, 21, 80, 1_400, 1_401, 65_507] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      world.inject(bytes, .direct, from: 1, to: 0)
      world.inject(bytes, .mesh, from: 1, to: 0)
    }
    #expect(!world.sides[0].knowsAddress)
    #expect(world.sides[0].played == [])
    let refused = world.sides[0].agent.statistics.first { $0.name == "refused-frames" }?.value
    #expect(refused == 20 + (before.first { $0.name == "refused-frames" }?.value ?? 0))
  }

  @Test("on the mesh a frame takes the links where the other side was heard, else every link")
  func links() {
    var roads = RoadChoice()
    let start = Instant.zero
    #expect(roads.choose(at: start).mesh == .everyLink)
    roads.heard(on: LinkID(3), at: start)
    roads.heard(on: LinkID(1), at: start + .milliseconds(500))
    #expect(roads.choose(at: start + .seconds(1)).mesh == .links([LinkID(3), LinkID(1)]))
    #expect(roads.choose(at: start + .milliseconds(1_001)).mesh == .links([LinkID(1)]))
    roads.linkDown(LinkID(1))
    #expect(roads.choose(at: start + .milliseconds(1_002)).mesh == .everyLink)
  }

  @Test("without an address nothing goes directly, whatever came that way")
  func noAddress() {
    var roads = RoadChoice()
    roads.heardDirectly(1, at: .zero)
    let (mesh, isDirect) = roads.choose(at: .zero)
    #expect(mesh == .everyLink && !isDirect)
  }

  @Test("both roads flapping: nobody is deaf for long, nothing plays twice")
  func flapping() throws {
    let world = CallWorld()
    world.hasDirectRoad = true
    try world.connect()
    var random = SplitMix64(seed: 11)
    var isUp = [Road.mesh: true, .direct: true]
    world.delay = { _, _, item in
      if case .frame(_, let road) = item {
        return isUp[road] == true ? .milliseconds(road == .mesh ? 9 : 3) : nil
      }
      return .milliseconds(30)
    }
    var byte: [UInt8] = [0, 0]
    for step in 0..<6_000 {
      if step.isMultiple(of: 40) {
        // One of the two is always up.
        isUp[.mesh] = Bool.random(using: &random)
        isUp[.direct] = isUp[.mesh] == true ? Bool.random(using: &random) : true
      }
      byte = [UInt8(step & 0xFF), UInt8(step >> 8)]
      world.speak(0, byte)
      world.speak(1, byte)
      world.run(for: .milliseconds(20))
    }
    for side in 0...1 {
      let played = world.sides[side].played
      #expect(Set(played).count == played.count, "no frame twice")
      #expect(played.count > 6_000 * 6 / 10, "\(played.count) of 6,000 heard")
      #expect(world.isConnected(side))
    }
  }
}
