internal import Capture
internal import CommandLine
internal import Identity
internal import Wire

/// One field of a packet, where it stands and what it says.
struct PacketField: Equatable {
  /// From the packet's first byte.
  let offset: Int
  let length: Int
  let name: String
  /// Harmless text.
  let value: String
}

/// A packet taken apart.
///
/// A class, because most packets go by without it: then it is one word that is nil.
final class PacketFields {
  private(set) var all: [PacketField] = []
  /// What is wrong with the payload, or worth knowing.
  private(set) var remarks: [String] = []
  private(set) var hello: Hello?
  /// Whether the hello's signature holds.
  private(set) var signatureHolds: Bool?

  init(_ view: borrowing PacketView, age: Int64?) {
    addHeader(view, age: age)
    guard view.refusal == nil else {
      addRest(view, "payload")
      return
    }
    switch view.header.kind {
    case .hello: addHello(view)
    case .sealed:
      add(view, SealedPayload.encapsulatedKeyLength, "encapsulated key")
      let rest = view.bytes.byteCount - end
      add(rest, "ciphertext", "\(rest) bytes, \(rest - SealedPayload.tagLength) when opened")
    case .voice:
      let sequence = view.payload.load(0, as: UInt32.self) ?? 0
      add(4, "sequence", "\(sequence)")
      let rest = max(0, view.bytes.byteCount - end - SealedPayload.tagLength)
      add(rest, "ciphertext", "\(rest) bytes")
      add(view, SealedPayload.tagLength, "tag")
    case .unknown: addRest(view, "payload")
    }
  }

  private var end: Int { all.last.map { $0.offset + $0.length } ?? 0 }

  private func addHeader(_ view: borrowing PacketView, age: Int64?) {
    let header = view.header
    add(view, 2, "magic")
    add(1, "version", "\(header.version)")
    add(1, "kind", "\(header.kind.rawValue) (\(header.kind.word))")
    add(1, "hop limit", "\(header.hopLimit)")
    add(1, "flags", "\(header.flags)")
    add(2, "payload length", "\(header.payloadLength)")
    add(view, 4, "CRC-32C")
    let moment = RFC3339.format(milliseconds: header.time.milliseconds)
    let elapsed = age.map { ", \($0) ms before it was captured" } ?? ""
    add(8, "time", "\(header.time.milliseconds) (\(moment)\(elapsed))")
    add(view, 16, "id")
    let destination = header.destination
    let whom = destination == .everyone ? "everyone" : "\(destination.number)"
    add(8, "destination", "\(destination.hex) (\(whom))")
    if header.flags != 0 { remarks.append("flags \(header.flags)") }
  }

  private func addHello(_ view: borrowing PacketView) {
    let hello: Hello
    do throws(Hello.DecodeError) {
      hello = try Hello(payload: view.payload)
    } catch {
      switch error {
      case .badLength: remarks.append("a name length that does not fit")
      case .nameNotUTF8: remarks.append("a name that is not UTF-8")
      }
      addRest(view, "payload")
      return
    }
    let holds = hello.isAuthentic(id: view.header.id, time: view.header.time)
    add(view, 32, "signing key")
    add(view, 32, "agreement key")
    add(1, "name length", "\(hello.name.utf8.count)")
    add(hello.name.utf8.count, "name", DisplayText(name: hello.name).description)
    add(64, "signature", holds ? "holds" : "does not hold")
    if !holds { remarks.append("its signature does not hold") }
    self.hello = hello
    signatureHolds = holds
  }

  private func add(_ view: borrowing PacketView, _ length: Int, _ name: String) {
    let start = min(end, view.bytes.byteCount)
    let part = view.bytes.extracting(start..<min(start + length, view.bytes.byteCount))
    add(length, name, part.hex)
  }

  private func add(_ length: Int, _ name: String, _ value: String) {
    all.append(PacketField(offset: end, length: length, name: name, value: value))
  }

  private func addRest(_ view: borrowing PacketView, _ name: String) {
    let rest = view.bytes.byteCount - end
    add(rest, name, "\(rest) bytes")
  }
}
