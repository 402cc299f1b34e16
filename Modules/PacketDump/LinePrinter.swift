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
  /// The time, the kind, 32 digits, a number, a length, an age, and what stands between them.
  private static let maximumHeaderColumns = 192
  /// Longer names of links are cut.
  static let maximumLinkColumns = 96
  static let bytesInARow = 16
  let detail: Detail

  /// A packet as one line, then what else was asked for.
  func put(
    _ facts: PacketFacts, _ view: borrowing PacketView, _ opening: Opening?, link: LinkLabel,
    firstLink: LinkLabel?, into text: inout TextBuffer
  ) {
    let needsFields = detail.fields || facts.header.kind == .hello || facts.header.flags != 0
    let fields = needsFields ? PacketFields(view, age: facts.ageMilliseconds) : nil
    putLine(facts, fields, opening, link: link, firstLink: firstLink, into: &text)
    if detail.fields, let fields { put(fields, opening, into: &text) }
    if detail.bytes { put(bytes: view.bytes, into: &text) }
  }

  /// A frame of a call's direct road as one line.
  func put(
    _ frame: CallFrame, _ crossing: Crossing, _ bytes: RawSpan, link: LinkLabel,
    into text: inout TextBuffer
  ) {
    putPlace(crossing, link: link, into: &text)
    text.put("frame   sequence \(frame.sequence) \(frame.byteCount) B")
    text.endLine()
    if detail.bytes { put(bytes: bytes, into: &text) }
  }

  /// What was lost, as one line.
  func put(_ loss: Loss, _ crossing: Crossing, link: LinkLabel, into text: inout TextBuffer) {
    putPlace(crossing, link: link, into: &text)
    text.put("lost    \(loss.sentence)")
    text.endLine()
  }

  private func putLine(
    _ facts: PacketFacts, _ fields: PacketFields?, _ opening: Opening?, link: LinkLabel,
    firstLink: LinkLabel?, into text: inout TextBuffer
  ) {
    let header = facts.header
    text.put(atMost: link.padded.count + Self.maximumHeaderColumns) { cursor in
      cursor.put(facts.crossing, link: link)
      cursor.put(kind: header.kind)
      cursor.put(id: header.id)
      cursor.put(" to ")
      cursor.put(number: header.destination)
      cursor.put(" hop ")
      cursor.put(small: UInt32(header.hopLimit))
      cursor.put(" ")
      cursor.put(small: UInt32(header.packetLength))
      cursor.put(" B")
      guard let age = facts.ageMilliseconds else { return }
      cursor.put(" age ")
      cursor.putSeconds(milliseconds: age)
    }
    let refused = facts.refused
    if fields != nil || opening != nil || refused != nil || facts.isCopy {
      putRemarks(facts, refused, fields, opening, firstLink: firstLink, into: &text)
    }
    text.endLine()
  }

  /// What only some packets have on their line.
  private func putRemarks(
    _ facts: PacketFacts, _ refused: String?, _ fields: PacketFields?, _ opening: Opening?,
    firstLink: LinkLabel?, into text: inout TextBuffer
  ) {
    if let hello = fields?.hello {
      text.put(" \(hello.keys.fingerprint.number) ")
      text.put(DisplayText(name: hello.name).inQuotes)
    }
    if let opening { text.put(opening.summary) }
    var mark = " ; "
    func remark(_ words: String) {
      text.put(mark)
      text.put(words)
      mark = ", "
    }
    if let refused { remark(refused) }
    for words in fields?.remarks ?? [] { remark(words) }
    if let words = opening?.remark { remark(words) }
    if facts.isCopy {
      remark("copy \(facts.sighting.copy), first on \(firstLink?.name ?? "")")
      let hops = facts.hopsSinceFirst
      if hops > 0 { remark("\(hops) hop\(hops == 1 ? "" : "s") later") }
    }
  }

  private func putPlace(_ crossing: Crossing, link: LinkLabel, into text: inout TextBuffer) {
    text.put(atMost: link.padded.count + Self.maximumHeaderColumns) { cursor in
      cursor.put(crossing, link: link)
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
      let start = text.count
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
      let start = text.count
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

extension TextBuffer {
  /// Milliseconds as seconds: `-0.012 s`.
  mutating func putSeconds(milliseconds: Int64) {
    put(atMost: 32) { $0.putSeconds(milliseconds: milliseconds) }
  }

  mutating func put(hexOffset offset: Int) {
    put(hexByte: UInt8(truncatingIfNeeded: offset >> 8))
    put(hexByte: UInt8(truncatingIfNeeded: offset))
  }
}
