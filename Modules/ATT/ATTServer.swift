/// Answers one peer's requests and takes what it writes; no I/O.
///
/// It answers every request at once and remembers two things: whether the peer has subscribed, and
/// nothing else.
struct ATTServer: Sendable {
  /// A value may be no longer (Bluetooth Core 5.4, volume 3, part F, section 3.2.9).
  static let maximumValue = 512

  enum Event: Hashable, Sendable {
    case written([UInt8])
    case subscribed(Bool)
  }

  private let table: AttributeTable
  private(set) var isSubscribed = false

  init(_ table: AttributeTable) { self.table = table }

  /// Answers a request or takes a command.
  ///
  /// - Returns: the answer, nil for a command, and what it brought about.
  mutating func handle(_ pdu: ATTPDU, mtu: Int) -> (answer: ATTPDU?, event: Event?) {
    switch pdu {
    case .findInformationRequest(let range): (information(pdu, range, mtu), nil)
    case .findByTypeValueRequest(let range, let type, let value):
      (services(pdu, range, GATTUUID(type), value, mtu), nil)
    case .readByTypeRequest(let range, let type): (values(pdu, range, type, mtu), nil)
    case .readByGroupTypeRequest(let range, let type): (groups(pdu, range, type, mtu), nil)
    case .readRequest(let handle): (read(pdu, handle, offset: 0, mtu), nil)
    case .readBlobRequest(let handle, let offset): (read(pdu, handle, offset: offset, mtu), nil)
    case .writeRequest(let handle, let value): write(handle, value, asked: pdu)
    case .writeCommand(let handle, let value): write(handle, value, asked: nil)
    default:
      (
        pdu.opcode & ATTPDU.Opcode.commandFlag == 0 ? refusal(pdu, 0, .requestNotSupported) : nil,
        nil
      )
    }
  }

  private func refusal(_ pdu: ATTPDU, _ handle: UInt16, _ code: ATTErrorCode) -> ATTPDU {
    .error(request: pdu.opcode, handle: handle, code: code)
  }

  // MARK: Searching

  private func information(_ pdu: ATTPDU, _ range: HandleRange, _ mtu: Int) -> ATTPDU {
    guard range.isValid else { return refusal(pdu, range.first, .invalidHandle) }
    var found: [ATTPDU.Information] = []
    var size = 2
    for attribute in table.attributes(in: range) {
      let entry = ATTPDU.Information(handle: attribute.handle, type: attribute.type)
      size += 2 + attribute.type.bytes.count
      // All of one answer are of one size.
      guard found.first.map({ ($0.type.short == nil) == (entry.type.short == nil) }) ?? true,
        size <= mtu
      else { break }
      found.append(entry)
    }
    return found.isEmpty
      ? refusal(pdu, range.first, .attributeNotFound) : .findInformationResponse(found)
  }

  private func services(
    _ pdu: ATTPDU, _ range: HandleRange, _ type: GATTUUID, _ value: [UInt8], _ mtu: Int
  ) -> ATTPDU {
    guard range.isValid else { return refusal(pdu, range.first, .invalidHandle) }
    let found = table.attributes(in: range)
      .filter { $0.type == type && $0.value == value && $0.groupEnd != nil }
      .prefix((mtu - 1) / 4)
      .map { HandleRange($0.handle, $0.groupEnd ?? $0.handle) }
    return found.isEmpty
      ? refusal(pdu, range.first, .attributeNotFound) : .findByTypeValueResponse(found)
  }

  private func values(
    _ pdu: ATTPDU, _ range: HandleRange, _ type: GATTUUID, _ mtu: Int
  ) -> ATTPDU {
    guard range.isValid else { return refusal(pdu, range.first, .invalidHandle) }
    var found: [ATTPDU.Value] = []
    var size = 2
    for attribute in table.attributes(in: range) where attribute.type == type {
      guard let value = value(of: attribute) else {
        if found.isEmpty { return refusal(pdu, attribute.handle, .readNotPermitted) }
        break
      }
      let part = Array(value.prefix(min(mtu - 4, 253)))
      size += 2 + part.count
      guard found.first.map({ $0.value.count == part.count }) ?? true, size <= mtu else { break }
      found.append(ATTPDU.Value(handle: attribute.handle, value: part))
    }
    return found.isEmpty
      ? refusal(pdu, range.first, .attributeNotFound) : .readByTypeResponse(found)
  }

  private func groups(
    _ pdu: ATTPDU, _ range: HandleRange, _ type: GATTUUID, _ mtu: Int
  ) -> ATTPDU {
    guard range.isValid else { return refusal(pdu, range.first, .invalidHandle) }
    guard type == .primaryService else {
      return refusal(pdu, range.first, .unsupportedGroupType)
    }
    var found: [ATTPDU.Group] = []
    var size = 2
    for attribute in table.attributes(in: range) {
      guard let end = attribute.groupEnd, let value = attribute.value else { continue }
      size += 4 + value.count
      guard found.first.map({ $0.value.count == value.count }) ?? true, size <= mtu else { break }
      found.append(ATTPDU.Group(range: HandleRange(attribute.handle, end), value: value))
    }
    return found.isEmpty
      ? refusal(pdu, range.first, .attributeNotFound) : .readByGroupTypeResponse(found)
  }

  // MARK: Reading and writing

  private func value(of attribute: AttributeTable.Attribute) -> [UInt8]? {
    attribute.handle == AttributeTable.configuration
      ? [isSubscribed ? 1 : 0, 0] : attribute.value
  }

  private func read(_ pdu: ATTPDU, _ handle: UInt16, offset: UInt16, _ mtu: Int) -> ATTPDU {
    guard let attribute = table.attribute(handle) else {
      return refusal(pdu, handle, .invalidHandle)
    }
    guard let value = value(of: attribute) else { return refusal(pdu, handle, .readNotPermitted) }
    guard offset <= value.count else { return refusal(pdu, handle, .invalidOffset) }
    let part = Array(value.dropFirst(Int(offset)).prefix(max(mtu - 1, 0)))
    if case .readRequest = pdu { return .readResponse(part) }
    return .readBlobResponse(part)
  }

  private mutating func write(
    _ handle: UInt16, _ value: [UInt8], asked pdu: ATTPDU?
  ) -> (ATTPDU?, Event?) {
    switch handle {
    case AttributeTable.inbox:
      guard value.count <= Self.maximumValue else {
        return (pdu.map { refusal($0, handle, .invalidValueLength) }, nil)
      }
      return (pdu.map { _ in .writeResponse }, value.isEmpty ? nil : .written(value))
    case AttributeTable.configuration:
      // A command cannot configure: its sender would not learn whether it did.
      guard let pdu else { return (nil, nil) }
      guard value.count == 2 else { return (refusal(pdu, handle, .invalidValueLength), nil) }
      let wanted = value[0] & 1 == 1
      let isNews = wanted != isSubscribed
      isSubscribed = wanted
      return (.writeResponse, isNews ? .subscribed(wanted) : nil)
    default:
      let code: ATTErrorCode =
        table.attribute(handle) == nil ? .invalidHandle : .writeNotPermitted
      return (pdu.map { refusal($0, handle, code) }, nil)
    }
  }
}
