/// A range of attribute handles, both ends in it.
public struct HandleRange: Hashable, Sendable {
  public let first: UInt16
  public let last: UInt16

  public init(_ first: UInt16, _ last: UInt16) {
    self.first = first
    self.last = last
  }

  /// Whether it may be asked for: handles begin with 1.
  var isValid: Bool { first > 0 && first <= last }
}

/// Why a request was refused (Bluetooth Core 5.4, volume 3, part F, section 3.4.1.1).
public struct ATTErrorCode: Hashable, Sendable, RawRepresentable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  static let invalidValueLength = ATTErrorCode(rawValue: 0x0D)
  static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
}

/// One message of the Attribute Protocol (Bluetooth Core 5.4, volume 3, part F, section 3.4).
public enum ATTPDU: Hashable, Sendable {
  case error(request: UInt8, handle: UInt16, code: ATTErrorCode)
  case mtuRequest(UInt16)
  case mtuResponse(UInt16)
  case findInformationRequest(HandleRange)
  case findInformationResponse([Information])
  case findByTypeValueRequest(HandleRange, type: UInt16, value: [UInt8])
  case findByTypeValueResponse([HandleRange])
  case readByTypeRequest(HandleRange, type: GATTUUID)
  case readByTypeResponse([Value])
  case readRequest(UInt16)
  case readResponse([UInt8])
  case readBlobRequest(UInt16, offset: UInt16)
  case readBlobResponse([UInt8])
  case readByGroupTypeRequest(HandleRange, type: GATTUUID)
  case readByGroupTypeResponse([Group])
  case writeRequest(UInt16, [UInt8])
  case writeResponse
  case writeCommand(UInt16, [UInt8])
  case notification(UInt16, [UInt8])
  case indication(UInt16, [UInt8])
  case confirmation
  /// Whole as it may be, and none that this program has a use for.
  case other(opcode: UInt8)

  public struct Information: Hashable, Sendable {
    public let handle: UInt16
    public let type: GATTUUID
  }

  public struct Value: Hashable, Sendable {
    public let handle: UInt16
    public let value: [UInt8]
  }

  public struct Group: Hashable, Sendable {
    public let range: HandleRange
    public let value: [UInt8]
  }

  enum Opcode {
    static let error: UInt8 = 0x01
    static let mtuRequest: UInt8 = 0x02
    static let mtuResponse: UInt8 = 0x03
    static let findInformationRequest: UInt8 = 0x04
    static let findInformationResponse: UInt8 = 0x05
    static let findByTypeValueRequest: UInt8 = 0x06
    static let findByTypeValueResponse: UInt8 = 0x07
    static let readByTypeRequest: UInt8 = 0x08
    static let readByTypeResponse: UInt8 = 0x09
    static let readRequest: UInt8 = 0x0A
    static let readResponse: UInt8 = 0x0B
    static let readBlobRequest: UInt8 = 0x0C
    static let readBlobResponse: UInt8 = 0x0D
    static let readByGroupTypeRequest: UInt8 = 0x10
    static let readByGroupTypeResponse: UInt8 = 0x11
    static let writeRequest: UInt8 = 0x12
    static let writeResponse: UInt8 = 0x13
    static let notification: UInt8 = 0x1B
    static let indication: UInt8 = 0x1D
    static let confirmation: UInt8 = 0x1E
    static let writeCommand: UInt8 = 0x52
    /// In an opcode: no answer is wanted.
    static let commandFlag: UInt8 = 0x40
  }
}

extension ATTPDU {
  /// Reads one message; nil when it is none: empty, cut, or with lengths that do not fit.
  public init?(decoding bytes: [UInt8]) {
    guard let opcode = bytes.first else { return nil }
    var reader = ATTReader(bytes.dropFirst())
    guard let pdu = ATTPDU(opcode, &reader), reader.isDone else { return nil }
    self = pdu
  }

  private init?(_ opcode: UInt8, _ reader: inout ATTReader) {
    switch opcode {
    case Opcode.error:
      guard let request = reader.byte(), let handle = reader.word(), let code = reader.byte()
      else { return nil }
      self = .error(request: request, handle: handle, code: ATTErrorCode(rawValue: code))
    case Opcode.mtuRequest:
      guard let mtu = reader.word() else { return nil }
      self = .mtuRequest(mtu)
    case Opcode.mtuResponse:
      guard let mtu = reader.word() else { return nil }
      self = .mtuResponse(mtu)
    case Opcode.writeRequest, Opcode.writeCommand, Opcode.notification, Opcode.indication:
      guard let handle = reader.word() else { return nil }
      let value = reader.all()
      switch opcode {
      case Opcode.writeRequest: self = .writeRequest(handle, value)
      case Opcode.writeCommand: self = .writeCommand(handle, value)
      case Opcode.notification: self = .notification(handle, value)
      default: self = .indication(handle, value)
      }
    case Opcode.writeResponse: self = .writeResponse
    case Opcode.confirmation: self = .confirmation
    case Opcode.readRequest:
      guard let handle = reader.word() else { return nil }
      self = .readRequest(handle)
    case Opcode.readBlobRequest:
      guard let handle = reader.word(), let offset = reader.word() else { return nil }
      self = .readBlobRequest(handle, offset: offset)
    case Opcode.readResponse: self = .readResponse(reader.all())
    case Opcode.readBlobResponse: self = .readBlobResponse(reader.all())
    default:
      guard let pdu = ATTPDU(searching: opcode, &reader) else { return nil }
      self = pdu
    }
  }

  /// Those that search, and what they find.
  private init?(searching opcode: UInt8, _ reader: inout ATTReader) {
    switch opcode {
    case Opcode.findInformationRequest:
      guard let range = reader.range() else { return nil }
      self = .findInformationRequest(range)
    case Opcode.findByTypeValueRequest:
      guard let range = reader.range(), let type = reader.word() else { return nil }
      self = .findByTypeValueRequest(range, type: type, value: reader.all())
    case Opcode.readByTypeRequest, Opcode.readByGroupTypeRequest:
      guard let range = reader.range(), let type = GATTUUID(bytes: reader.all()) else { return nil }
      self =
        opcode == Opcode.readByTypeRequest
        ? .readByTypeRequest(range, type: type) : .readByGroupTypeRequest(range, type: type)
    case Opcode.findInformationResponse:
      guard let format = reader.byte(), format == 1 || format == 2,
        let entries = reader.entries(
          of: format == 1 ? 4 : 18,
          { (reader) -> Information? in
            guard let handle = reader.word(), let type = GATTUUID(bytes: reader.all())
            else { return nil }
            return Information(handle: handle, type: type)
          })
      else { return nil }
      self = .findInformationResponse(entries)
    case Opcode.findByTypeValueResponse:
      guard let entries = reader.entries(of: 4, { $0.range() }) else { return nil }
      self = .findByTypeValueResponse(entries)
    case Opcode.readByTypeResponse:
      guard let size = reader.byte(), size >= 2,
        let entries = reader.entries(
          of: Int(size), { reader in reader.word().map { Value(handle: $0, value: reader.all()) } })
      else { return nil }
      self = .readByTypeResponse(entries)
    case Opcode.readByGroupTypeResponse:
      guard let size = reader.byte(), size >= 4,
        let entries = reader.entries(
          of: Int(size), { reader in reader.range().map { Group(range: $0, value: reader.all()) } })
      else { return nil }
      self = .readByGroupTypeResponse(entries)
    default:
      _ = reader.all()
      self = .other(opcode: opcode)
    }
  }
}

extension ATTReader {
  fileprivate mutating func range() -> HandleRange? {
    guard let first = word(), let last = word() else { return nil }
    return HandleRange(first, last)
  }

  /// The rest as entries of one size, of which there is at least one; nil when it does not add up.
  fileprivate mutating func entries<Entry>(
    of size: Int, _ entry: (inout ATTReader) -> Entry?
  ) -> [Entry]? {
    guard size > 0, count > 0, count.isMultiple(of: size) else { return nil }
    var found: [Entry] = []
    while let part = bytes(size), !part.isEmpty {
      var reader = ATTReader(part[...])
      guard let one = entry(&reader), reader.isDone else { return nil }
      found.append(one)
      if isDone { break }
    }
    return found
  }
}
