internal import Capture
internal import CommandLine
internal import Identity
internal import Wire

/// What stands on the terminal for each packet.
struct LinePrinter {
  /// How much is shown of a packet.
  struct Detail: Sendable {
    var fields = false
    var bytes = false
  }

  static let linkColumns = 14
  /// Longer names of links are cut.
  static let maximumLinkColumns = 96
  static let bytesInARow = 16
  let detail: Detail

  /// A packet as one line, then what else was asked for.
  func put(
    _ facts: PacketFacts, _ view: borrowing PacketView, _ opening: Opening?, link: String,
    firstLink: String, into text: inout TextBuffer
  ) {
    let needsFields =
      detail.fields || facts.header.kind == .hello || facts.header.flags != 0
      || facts.header.hopLimit > facts.header.kind.maximumHopLimit
    let fields = needsFields ? PacketFields(view, age: facts.ageMilliseconds) : nil
    putLine(facts, fields, opening, link: link, firstLink: firstLink, into: &text)
    if detail.fields, let fields { put(fields, opening, into: &text) }
    if detail.bytes { put(bytes: view.bytes, into: &text) }
  }

  /// A frame of a call's direct road as one line.
  func put(
    _ frame: CallFrame, _ crossing: Crossing, _ bytes: RawSpan, link: String,
    into text: inout TextBuffer
  ) {
    putPlace(crossing, link: link, into: &text)
    text.put("frame   sequence \(frame.sequence) \(frame.byteCount) B")
    text.endLine()
    if detail.bytes { put(bytes: bytes, into: &text) }
  }

  /// What was lost, as one line.
  func put(_ loss: Loss, _ crossing: Crossing, link: String, into text: inout TextBuffer) {
    putPlace(crossing, link: link, into: &text)
    text.put("lost    \(loss.sentence)")
    text.endLine()
  }

  private func putLine(
    _ facts: PacketFacts, _ fields: PacketFields?, _ opening: Opening?, link: String,
    firstLink: String, into text: inout TextBuffer
  ) {
    let header = facts.header
    putPlace(facts.crossing, link: link, into: &text)
    let start = text.bytes.count
    text.put(header.kind.word)
    text.pad(from: start, to: 8)
    header.id.put(into: &text)
    text.put(" to ")
    text.put(header.destination == .everyone ? "everyone " : "\(header.destination.number)")
    text.put(" hop ")
    text.put(header.hopLimit)
    text.put(" ")
    text.put(header.packetLength)
    text.put(" B")
    if let age = facts.ageMilliseconds {
      text.put(" age ")
      text.putSeconds(milliseconds: age)
    }
    if let hello = fields?.hello {
      text.put(" \(hello.keys.fingerprint.number) ")
      text.put("\"\(DisplayText(name: hello.name))\"")
    }
    if let opening { text.put(opening.summary) }
    var mark = " ; "
    func remark(_ words: String) {
      text.put(mark)
      text.put(words)
      mark = ", "
    }
    if let refusal = facts.refusal { remark(refusal.sentence) }
    for words in fields?.remarks ?? [] { remark(words) }
    if let words = opening?.remark { remark(words) }
    if facts.isCopy {
      remark("copy \(facts.sighting.copy), first on \(firstLink)")
      let hops = facts.hopsSinceFirst
      if hops > 0 { remark("\(hops) hop\(hops == 1 ? "" : "s") later") }
    }
    text.endLine()
  }

  private func putPlace(_ crossing: Crossing, link: String, into text: inout TextBuffer) {
    if let time = crossing.time {
      text.put(timeOfDay: time)
      text.put(" ")
    }
    text.put(DisplayText(link).paddedName)
    switch crossing.direction {
    case .outbound: text.put(" > ")
    case .inbound: text.put(" < ")
    case nil: text.put("   ")
    }
  }

  private func put(_ fields: PacketFields, _ opening: Opening?, into text: inout TextBuffer) {
    put(fields.all, into: &text)
    if let hello = fields.hello {
      let fingerprint = hello.keys.fingerprint
      text.put("          speaks for      \(fingerprint.number) (\(fingerprint))")
      text.endLine()
    }
    guard let opened = opening?.fields, !opened.isEmpty else { return }
    text.put("    opened\n")
    put(opened, into: &text)
  }

  private func put(_ fields: [PacketField], into text: inout TextBuffer) {
    for field in fields {
      let start = text.bytes.count
      text.put("    ")
      let offset = String(field.offset)
      for _ in 0..<max(0, 4 - offset.utf8.count) { text.put(" ") }
      text.put("\(offset)  \(field.name)")
      text.pad(from: start, to: 28)
      text.put(field.value)
      text.endLine()
    }
  }

  private func put(bytes: RawSpan, into text: inout TextBuffer) {
    var offset = 0
    while offset < bytes.byteCount {
      let row = bytes.extracting(offset..<min(offset + Self.bytesInARow, bytes.byteCount))
      let start = text.bytes.count
      text.put("    ")
      text.put(hexOffset: offset)
      text.put(" ")
      for index in 0..<row.byteCount {
        text.put(index == Self.bytesInARow / 2 ? "  " : " ")
        text.put(hexByte: row.byte(at: index))
      }
      text.pad(from: start, to: 61)
      for index in 0..<row.byteCount {
        let byte = row.byte(at: index)
        text.put(byte: (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "."))
      }
      text.endLine()
      offset += row.byteCount
    }
  }
}

extension PacketID {
  /// Writes the digits without a text in between.
  fileprivate func put(into text: inout TextBuffer) {
    withUnsafeBytes(of: self) { for byte in $0 { text.put(hexByte: byte) } }
  }
}

extension TextBuffer {
  /// A time as `10:25:56.123456`, UTC.
  mutating func put(timeOfDay time: CaptureTime) {
    let day: Int64 = 86_400_000_000_000
    let within = (time.nanoseconds % day + day) % day / 1_000
    put(within / 3_600_000_000, width: 2)
    put(":")
    put(within / 60_000_000 % 60, width: 2)
    put(":")
    put(within / 1_000_000 % 60, width: 2)
    put(".")
    put(within % 1_000_000, width: 6)
  }

  /// Milliseconds as seconds: `-0.012 s`.
  mutating func putSeconds(milliseconds: Int64) {
    if milliseconds < 0 { put("-") }
    let magnitude = milliseconds.magnitude
    put(magnitude / 1_000)
    put(".")
    put(magnitude % 1_000, width: 3)
    put(" s")
  }

  mutating func put(hexOffset offset: Int) {
    put(hexByte: UInt8(truncatingIfNeeded: offset >> 8))
    put(hexByte: UInt8(truncatingIfNeeded: offset))
  }
}

extension DisplayText {
  /// A link's name, filled up to its column; longer ones are whole.
  var paddedName: String {
    columns < LinePrinter.linkColumns
      ? padded(toColumns: LinePrinter.linkColumns)
      : truncated(toColumns: LinePrinter.maximumLinkColumns).description
  }
}
