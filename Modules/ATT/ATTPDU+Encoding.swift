extension ATTPDU {
  /// The first byte.
  public var opcode: UInt8 {
    switch self {
    case .error: Opcode.error
    case .mtuRequest: Opcode.mtuRequest
    case .mtuResponse: Opcode.mtuResponse
    case .findInformationRequest: Opcode.findInformationRequest
    case .findInformationResponse: Opcode.findInformationResponse
    case .findByTypeValueRequest: Opcode.findByTypeValueRequest
    case .findByTypeValueResponse: Opcode.findByTypeValueResponse
    case .readByTypeRequest: Opcode.readByTypeRequest
    case .readByTypeResponse: Opcode.readByTypeResponse
    case .readRequest: Opcode.readRequest
    case .readResponse: Opcode.readResponse
    case .readBlobRequest: Opcode.readBlobRequest
    case .readBlobResponse: Opcode.readBlobResponse
    case .readByGroupTypeRequest: Opcode.readByGroupTypeRequest
    case .readByGroupTypeResponse: Opcode.readByGroupTypeResponse
    case .writeRequest: Opcode.writeRequest
    case .writeResponse: Opcode.writeResponse
    case .writeCommand: Opcode.writeCommand
    case .notification: Opcode.notification
    case .indication: Opcode.indication
    case .confirmation: Opcode.confirmation
    case .other(let opcode): opcode
    }
  }

  /// The message's bytes; entries of one response are of one size.
  public var encoded: [UInt8] {
    var bytes = [opcode]
    switch self {
    case .error(let request, let handle, let code):
      bytes.append(request)
      bytes.append(word: handle)
      bytes.append(code.rawValue)
    case .mtuRequest(let mtu), .mtuResponse(let mtu): bytes.append(word: mtu)
    case .findInformationRequest(let range): bytes.append(range)
    case .findInformationResponse(let entries):
      bytes.append(entries.first?.type.short == nil ? 2 : 1)
      for entry in entries {
        bytes.append(word: entry.handle)
        bytes += entry.type.bytes
      }
    case .findByTypeValueRequest(let range, let type, let value):
      bytes.append(range)
      bytes.append(word: type)
      bytes += value
    case .findByTypeValueResponse(let ranges): for range in ranges { bytes.append(range) }
    case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
      bytes.append(range)
      bytes += type.bytes
    case .readByTypeResponse(let entries):
      bytes.append(UInt8(truncatingIfNeeded: 2 + (entries.first?.value.count ?? 0)))
      for entry in entries {
        bytes.append(word: entry.handle)
        bytes += entry.value
      }
    case .readByGroupTypeResponse(let entries):
      bytes.append(UInt8(truncatingIfNeeded: 4 + (entries.first?.value.count ?? 0)))
      for entry in entries {
        bytes.append(entry.range)
        bytes += entry.value
      }
    case .readRequest(let handle): bytes.append(word: handle)
    case .readBlobRequest(let handle, let offset):
      bytes.append(word: handle)
      bytes.append(word: offset)
    case .readResponse(let value), .readBlobResponse(let value): bytes += value
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value),
      .notification(let handle, let value), .indication(let handle, let value):
      bytes.append(word: handle)
      bytes += value
    case .writeResponse, .confirmation, .other: break
    }
    return bytes
  }
}

extension Array<UInt8> {
  fileprivate mutating func append(_ range: HandleRange) {
    append(word: range.first)
    append(word: range.last)
  }
}
