import Testing

@testable import ATT

/// Two bearers and the wire between them.
struct Wire {
  var ends = [ATTBearer(), ATTBearer()]
  var news: [[ATTBearer.Output]] = [[], []]

  mutating func take(_ outputs: [ATTBearer.Output], of end: Int) {
    var waiting = outputs.map { (end, $0) }
    while let (end, output) = waiting.first {
      waiting.removeFirst()
      if case .send(let bytes) = output {
        waiting += ends[1 - end].receive(bytes).map { (1 - end, $0) }
      } else {
        news[end].append(output)
      }
    }
  }
}

@Suite("an ATT connection")
struct BearerTests {
  @Test("of two of ours is set up both ways, and carries chunks")
  func bothWays() throws {
    var wire = Wire()
    for end in 0...1 {
      let begin = wire.ends[end].start()
      wire.take(begin, of: end)
    }
    for end in 0...1 {
      #expect(wire.news[end].contains(.clientReady))
      #expect(wire.news[end].contains(.subscribed(true)))
      #expect(wire.ends[end].mtu == 517)
      #expect(!wire.ends[end].isAsking)
    }
    wire.news = [[], []]
    let chunk = [UInt8](repeating: 9, count: 510)
    let write = try #require(wire.ends[0].write(chunk))
    let notification = try #require(wire.ends[0].notification(chunk))
    wire.take([.send(write), .send(notification)], of: 0)
    #expect(wire.news[1] == [.inbox(chunk), .outbox(chunk)])
    #expect(wire.ends[0].write([UInt8](repeating: 1, count: 515)) == nil, "over the MTU")
  }

  @Test(
    "agrees on the smaller MTU, whoever asks",
    arguments: [0, 23, 185, 247, 517, 0xFFFF] as [UInt16])
  func mtu(peer: UInt16) {
    var bearer = ATTBearer()
    let outputs = bearer.receive(ATTPDU.mtuRequest(peer).encoded)
    #expect(outputs.first == .send(ATTPDU.mtuResponse(517).encoded))
    #expect(bearer.mtu == min(max(Int(peer), 23), 517))
    var asking = ATTBearer()
    _ = asking.start()
    _ = asking.receive(ATTPDU.mtuResponse(peer).encoded)
    #expect(asking.mtu == min(max(Int(peer), 23), 517))
  }

  @Test("sends nothing before there is whom to send to")
  func early() {
    let bearer = ATTBearer()
    #expect(bearer.write([1]) == nil)
    #expect(bearer.notification([1]) == nil)
  }

  @Test("with a peer that has no AirLink service is told why")
  func noService() {
    var bearer = ATTBearer()
    _ = bearer.start()
    _ = bearer.receive(ATTPDU.error(request: 2, handle: 0, code: .requestNotSupported).encoded)
    let outputs = bearer.receive(
      ATTPDU.error(request: 6, handle: 1, code: .attributeNotFound).encoded)
    #expect(outputs == [.clientFailed("it has no AirLink service")])
    #expect(!bearer.isAsking)
  }

  /// A peer whose answers are given by the test.
  private func failure(_ answers: [ATTPDU]) -> String? {
    var bearer = ATTBearer()
    _ = bearer.start()
    for answer in [.mtuResponse(517)] + answers {
      for output in bearer.receive(answer.encoded) {
        if case .clientFailed(let reason) = output { return reason }
        if case .clientReady = output { return "ready" }
      }
    }
    return nil
  }

  private func characteristic(
    _ handle: UInt16, _ properties: UInt8, _ value: UInt16, _ type: GATTUUID
  ) -> ATTPDU {
    .readByTypeResponse([
      .init(
        handle: handle,
        value: [properties, UInt8(value & 255), UInt8(value >> 8)] + type.longBytes)
    ])
  }

  @Test("finds inbox and outbox at other handles than ours")
  func otherHandles() {
    let uuids = AirLinkAttributes.standard
    #expect(
      failure([
        .findByTypeValueResponse([HandleRange(40, 60)]),
        characteristic(41, 0x10, 42, uuids.outbox), characteristic(50, 0x0C, 51, uuids.inbox),
        .error(request: 8, handle: 51, code: .attributeNotFound),
        .findInformationResponse([.init(handle: 43, type: GATTUUID(0x2901))]),
        .findInformationResponse([.init(handle: 44, type: .configuration)]),
        .writeResponse,
      ]) == "ready")
  }

  @Test("is not kept busy by a service without end, nor by handles that go round")
  func endless() {
    let uuids = AirLinkAttributes.standard
    let service = ATTPDU.findByTypeValueResponse([HandleRange(1, 0xFFFF)])
    let many = (0..<20).map {
      characteristic(UInt16($0) * 4 + 1, 2, UInt16($0) * 4 + 2, GATTUUID(7))
    }
    #expect(failure([service] + many) == "its service has no end")
    let same = characteristic(5, 0x0C, 6, uuids.inbox)
    #expect(failure([service, same, same]) == "its characteristics have impossible handles")
    #expect(
      failure([.findByTypeValueResponse([HandleRange(9, 3)])])
        == "its service has impossible handles")
    let both = [
      characteristic(2, 0x0C, 3, uuids.inbox), characteristic(4, 0x10, 5, uuids.outbox),
      ATTPDU.error(request: 8, handle: 5, code: .attributeNotFound),
    ]
    let descriptors = (6..<30).map {
      ATTPDU.findInformationResponse([.init(handle: $0, type: GATTUUID(0x2901))])
    }
    #expect(failure([service] + both + descriptors) == "its service has no end")
  }

  @Test("says what is wrong with a layout")
  func layouts() {
    let uuids = AirLinkAttributes.standard
    let service = ATTPDU.findByTypeValueResponse([HandleRange(1, 5)])
    let end = ATTPDU.error(request: 8, handle: 5, code: .attributeNotFound)
    #expect(
      failure([service, characteristic(2, 0x02, 3, uuids.inbox)])
        == "its inbox cannot be written to")
    #expect(
      failure([service, characteristic(2, 0x20, 3, uuids.outbox)]) == "its outbox does not notify")
    #expect(failure([service, end]) == "it has no inbox or no outbox")
    #expect(
      failure([
        service, characteristic(2, 0x0C, 3, uuids.inbox),
        characteristic(4, 0x10, 5, uuids.outbox), end,
      ]) == "its outbox cannot be subscribed to")
    #expect(
      failure([service, .error(request: 8, handle: 1, code: .readNotPermitted)])
        == "its characteristics cannot be read")
    #expect(failure([service, .writeResponse]) == "it answers with something else than asked for")
  }

  @Test("refuses what is no message, and ends when there is too much of it")
  func garbage() {
    var bearer = ATTBearer()
    #expect(
      bearer.receive([0x02, 1])
        == [.send(ATTPDU.error(request: 2, handle: 0, code: .invalidPDU).encoded)])
    for _ in 1..<ATTBearer.maximumMalformed { #expect(bearer.receive([0x1B]).isEmpty) }
    guard case .violation = bearer.receive([]).first else {
      Issue.record("it goes on")
      return
    }
  }

  @Test("confirms indications, and hears no other handle than the outbox")
  func otherHandlesNotify() {
    var bearer = ATTBearer()
    #expect(bearer.receive(ATTPDU.notification(11, [1]).encoded) == [])
    #expect(
      bearer.receive(ATTPDU.indication(3, [1]).encoded) == [.send(ATTPDU.confirmation.encoded)])
  }

  @Test("takes any bytes at all", arguments: 1...200 as ClosedRange<UInt64>)
  func random(seed: UInt64) {
    var random = Generator(state: seed)
    var bearer = ATTBearer()
    _ = bearer.start()
    for _ in 0..<200 {
      var bytes = PDUTests.samples.randomElement(using: &random)?.encoded ?? []
      for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(bytes.isEmpty ? 0 : 1) }
      for output in bearer.receive(bytes) {
        if case .send(let answer) = output { #expect(answer.count <= bearer.mtu) }
      }
    }
  }

  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
}
