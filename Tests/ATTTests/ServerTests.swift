import Testing

@testable import ATT

@Suite("an ATT server")
struct ServerTests {
  /// What it answers to one message, on a connection of the given MTU.
  private func ask(_ pdu: ATTPDU, mtu: Int = 23, after first: [ATTPDU] = []) -> ATTPDU? {
    var server = ATTServer(AttributeTable(.standard))
    for pdu in first { _ = server.handle(pdu, mtu: mtu) }
    return server.handle(pdu, mtu: mtu).answer
  }

  private func refusal(_ pdu: ATTPDU, mtu: Int = 23) -> ATTErrorCode? {
    guard case .error(let request, _, let code) = ask(pdu, mtu: mtu), request == pdu.opcode else {
      return nil
    }
    return code
  }

  @Test("shows its services in groups, a few at a time")
  func groups() {
    let all = HandleRange(1, .max)
    #expect(
      ask(.readByGroupTypeRequest(all, type: .primaryService))
        == .readByGroupTypeResponse([
          .init(range: HandleRange(1, 5), value: [0x00, 0x18]),
          .init(range: HandleRange(6, 6), value: [0x01, 0x18]),
        ]))
    let rest = ask(.readByGroupTypeRequest(HandleRange(7, .max), type: .primaryService))
    #expect(
      rest
        == .readByGroupTypeResponse([
          .init(range: HandleRange(7, 12), value: AirLinkAttributes.standard.service.bytes)
        ]))
    #expect(
      refusal(.readByGroupTypeRequest(HandleRange(13, .max), type: .primaryService))
        == .attributeNotFound)
    #expect(refusal(.readByGroupTypeRequest(all, type: .characteristic)) == .unsupportedGroupType)
    #expect(
      refusal(.readByGroupTypeRequest(HandleRange(0, 9), type: .primaryService)) == .invalidHandle)
  }

  @Test("finds the AirLink service by its UUID and no other by a made-up one")
  func byValue() {
    let all = HandleRange(1, .max)
    let service = AirLinkAttributes.standard.service.bytes
    #expect(
      ask(.findByTypeValueRequest(all, type: 0x2800, value: service))
        == .findByTypeValueResponse([HandleRange(7, 12)]))
    #expect(
      refusal(.findByTypeValueRequest(all, type: 0x2800, value: [1, 2])) == .attributeNotFound)
    #expect(
      refusal(.findByTypeValueRequest(HandleRange(5, 4), type: 0x2800, value: service))
        == .invalidHandle)
  }

  @Test(
    "never answers with more than the MTU has room for", arguments: [23, 24, 48, 185, 247, 517])
  func fits(mtu: Int) {
    let ranges = (0...13).flatMap { first in
      (0...13).map { HandleRange(UInt16(first), UInt16($0)) }
    }
    for range in ranges + [HandleRange(1, .max), HandleRange(.max, .max)] {
      for pdu in [
        ATTPDU.findInformationRequest(range),
        .readByTypeRequest(range, type: .characteristic),
        .readByTypeRequest(range, type: .configuration),
        .readByTypeRequest(range, type: AirLinkAttributes.standard.inbox),
        .readByGroupTypeRequest(range, type: .primaryService),
        .findByTypeValueRequest(
          range, type: 0x2800, value: AirLinkAttributes.standard.service.bytes),
      ] {
        let answer = ask(pdu, mtu: mtu)
        #expect(answer.map { $0.encoded.count <= mtu } == true)
        #expect(answer.flatMap { ATTPDU(decoding: $0.encoded) } == answer)
      }
    }
  }

  @Test("reads what can be read, in parts, and says why not")
  func reads() {
    #expect(ask(.readRequest(3)) == .readResponse(Array("AirLink".utf8)))
    #expect(ask(.readBlobRequest(3, offset: 3)) == .readBlobResponse(Array("Link".utf8)))
    #expect(ask(.readBlobRequest(3, offset: 7)) == .readBlobResponse([]))
    #expect(refusal(.readBlobRequest(3, offset: 8)) == .invalidOffset)
    #expect(refusal(.readRequest(0)) == .invalidHandle)
    #expect(refusal(.readRequest(13)) == .invalidHandle)
    #expect(refusal(.readRequest(.max)) == .invalidHandle)
    #expect(refusal(.readRequest(AttributeTable.inbox)) == .readNotPermitted)
    #expect(refusal(.readRequest(AttributeTable.outbox)) == .readNotPermitted)
  }

  @Test("remembers who has subscribed")
  func subscription() {
    var server = ATTServer(AttributeTable(.standard))
    let on = ATTPDU.writeRequest(AttributeTable.configuration, [1, 0])
    let off = ATTPDU.writeRequest(AttributeTable.configuration, [0, 0])
    let first = server.handle(on, mtu: 23)
    #expect(first.answer == .writeResponse && first.event == .subscribed(true))
    let second = server.handle(on, mtu: 23)
    #expect(second.answer == .writeResponse && second.event == nil, "said once")
    let read = server.handle(.readRequest(AttributeTable.configuration), mtu: 23)
    #expect(read.answer == .readResponse([1, 0]))
    #expect(server.handle(off, mtu: 23).event == .subscribed(false))
    let byCommand = server.handle(
      .writeCommand(AttributeTable.configuration, [1, 0]), mtu: 23)
    #expect(byCommand.answer == nil && byCommand.event == nil)
    #expect(
      refusal(.writeRequest(AttributeTable.configuration, [1])) == .invalidValueLength)
  }

  @Test("takes writes of every length that a value may have", arguments: 0...514)
  func writes(length: Int) {
    var server = ATTServer(AttributeTable(.standard))
    let value = [UInt8](repeating: 7, count: length)
    let command = server.handle(.writeCommand(AttributeTable.inbox, value), mtu: 517)
    let expected: ATTServer.Event? = (1...512).contains(length) ? .written(value) : nil
    #expect(command.answer == nil && command.event == expected)
    let request = server.handle(.writeRequest(AttributeTable.inbox, value), mtu: 517)
    #expect(request.event == expected)
    if length > 512 {
      #expect(
        request.answer
          == .error(request: 0x12, handle: AttributeTable.inbox, code: .invalidValueLength))
    } else {
      #expect(request.answer == .writeResponse)
    }
  }

  @Test("lets nothing else be written", arguments: [0, 1, 3, 8, 10, 11, 13, 0xFFFF] as [UInt16])
  func refusesWrites(handle: UInt16) {
    let code: ATTErrorCode =
      (1...12).contains(handle) ? .writeNotPermitted : .invalidHandle
    #expect(refusal(.writeRequest(handle, [1])) == code)
    #expect(ask(.writeCommand(handle, [1])) == nil)
  }

  @Test(
    "refuses requests it does not know, and passes over commands", arguments: UInt8.min...(.max))
  func unknown(opcode: UInt8) {
    guard case .other(opcode) = ATTPDU(decoding: [opcode]) else { return }
    let answer = ask(.other(opcode: opcode))
    if opcode & 0x40 == 0 {
      #expect(answer == .error(request: opcode, handle: 0, code: .requestNotSupported))
    } else {
      #expect(answer == nil)
    }
  }
}
