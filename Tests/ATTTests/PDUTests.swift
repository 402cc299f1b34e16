import Testing

@testable import ATT

@Suite("an ATT message")
struct PDUTests {
  static let long = GATTUUID(high: 0x6815_884A_E285_42A0, low: 0xB190_844D_55A9_D41D)
  /// One of every kind, and its bytes where the specification's order is worth a look.
  static let samples: [ATTPDU] = [
    .error(request: 0x0A, handle: 0x1234, code: .attributeNotFound),
    .mtuRequest(517), .mtuResponse(23),
    .findInformationRequest(HandleRange(1, 0xFFFF)),
    .findInformationResponse([
      .init(handle: 1, type: GATTUUID(0x2800)), .init(handle: 2, type: GATTUUID(0x2803)),
    ]),
    .findInformationResponse([.init(handle: 9, type: long)]),
    .findByTypeValueRequest(HandleRange(1, 0xFFFF), type: 0x2800, value: long.bytes),
    .findByTypeValueResponse([HandleRange(1, 5), HandleRange(7, 12)]),
    .readByTypeRequest(HandleRange(1, 9), type: GATTUUID(0x2803)),
    .readByTypeRequest(HandleRange(1, 9), type: long),
    .readByTypeResponse([.init(handle: 2, value: [1, 2, 3]), .init(handle: 4, value: [4, 5, 6])]),
    .readRequest(3), .readResponse([]), .readResponse([7, 8]),
    .readBlobRequest(3, offset: 22), .readBlobResponse([1]),
    .readByGroupTypeRequest(HandleRange(1, 0xFFFF), type: GATTUUID(0x2800)),
    .readByGroupTypeResponse([.init(range: HandleRange(1, 5), value: [0, 0x18])]),
    .writeRequest(9, [1, 2]), .writeResponse, .writeCommand(9, []), .writeCommand(9, [1]),
    .notification(11, [1, 2, 3]), .indication(11, [1]), .confirmation, .other(opcode: 0xD2),
  ]

  @Test("is read as it was written", arguments: samples)
  func roundTrip(pdu: ATTPDU) {
    #expect(ATTPDU(decoding: pdu.encoded) == pdu)
  }

  @Test("is as in the specification")
  func bytes() {
    #expect(ATTPDU.mtuRequest(517).encoded == [0x02, 0x05, 0x02])
    #expect(
      ATTPDU.error(request: 0x10, handle: 0x0102, code: .requestNotSupported).encoded
        == [0x01, 0x10, 0x02, 0x01, 0x06])
    #expect(ATTPDU.writeCommand(0x0009, [0xAB]).encoded == [0x52, 0x09, 0x00, 0xAB])
    #expect(
      ATTPDU.readByGroupTypeRequest(HandleRange(1, 0xFFFF), type: GATTUUID(0x2800)).encoded
        == [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28])
    let request = ATTPDU.findByTypeValueRequest(
      HandleRange(1, 0xFFFF), type: 0x2800, value: Self.long.bytes
    ).encoded
    #expect(request.suffix(16).first == 0x1D && request.last == 0x68, "least significant first")
  }

  @Test("cut at any length is refused, or is another that may be", arguments: samples)
  func cut(pdu: ATTPDU) {
    let bytes = pdu.encoded
    for length in 0..<bytes.count {
      guard let other = ATTPDU(decoding: Array(bytes.prefix(length))) else { continue }
      #expect(other.encoded == Array(bytes.prefix(length)))
      switch (pdu, other) {
      case (.readResponse, .readResponse), (.readBlobResponse, .readBlobResponse),
        (.writeRequest, .writeRequest), (.writeCommand, .writeCommand),
        (.notification, .notification), (.indication, .indication),
        (.findByTypeValueRequest, .findByTypeValueRequest),
        (.findInformationResponse, .findInformationResponse),
        (.findByTypeValueResponse, .findByTypeValueResponse),
        (.readByTypeResponse, .readByTypeResponse), (.readByTypeRequest, .readByTypeRequest),
        (.readByGroupTypeResponse, .readByGroupTypeResponse):
        break
      default: Issue.record("\(pdu) cut to \(length) bytes is \(other)")
      }
    }
  }

  @Test(
    "with lengths that do not add up is refused",
    arguments: [
      [], [0x02, 1], [0x02, 1, 2, 3], [0x05], [0x05, 1], [0x05, 3, 1, 0, 0, 0x28],
      [0x05, 1, 1, 0, 0], [0x05, 2, 1, 0, 0, 0x28], [0x07], [0x07, 1, 0, 2], [0x09], [0x09, 0],
      [0x09, 1, 1], [0x09, 7, 1, 0, 3], [0x11, 3, 1, 0, 2], [0x11, 0], [0x08, 1, 0, 2, 0, 3],
      [0x10, 1, 0, 2, 0, 0, 0x28, 0], [0x13, 0], [0x1E, 0], [0x0A, 1], [0x0C, 1, 0, 0],
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) {
    #expect(ATTPDU(decoding: bytes) == nil)
  }

  @Test("of a short UUID and of its long form are one")
  func uuids() {
    #expect(GATTUUID(bytes: GATTUUID(0x2800).longBytes) == GATTUUID(0x2800))
    #expect(GATTUUID(0x2800).bytes == [0x00, 0x28])
    #expect(GATTUUID(bytes: Self.long.bytes) == Self.long)
    #expect(GATTUUID(bytes: [1, 2, 3]) == nil)
  }
}
