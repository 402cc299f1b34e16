internal import Capture
internal import CommandLine

/// Text on its way out: put together as bytes, written in large pieces.
struct TextBuffer {
  /// Written once this much is there.
  static let capacity = 64 * 1_024
  private static let digits = Array("0123456789abcdef".utf8)

  private(set) var bytes: [UInt8] = []

  mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
  mutating func put(byte: UInt8) { bytes.append(byte) }

  /// A number in decimal, with zeros before it up to `width` digits.
  mutating func put(_ value: some BinaryInteger, width: Int = 0) {
    let text = String(value)
    for _ in 0..<max(0, width - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
    put(text)
  }

  mutating func put(hex: RawSpan) {
    for index in 0..<hex.byteCount { put(hexByte: hex.byte(at: index)) }
  }

  mutating func put(hexByte byte: UInt8) {
    bytes.append(Self.digits[Int(byte >> 4)])
    bytes.append(Self.digits[Int(byte & 15)])
  }

  /// Spaces, until `columns` bytes stand behind `start`.
  mutating func pad(from start: Int, to columns: Int) {
    for _ in 0..<max(0, start + columns - bytes.count) { bytes.append(UInt8(ascii: " ")) }
  }

  /// A number that is not negative, with one decimal.
  mutating func put(tenths value: Double) {
    let tenths = Int((max(0, min(value, 1e12)) * 10).rounded())
    put("\(tenths / 10).\(tenths % 10)")
  }

  mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

  mutating func flush(to sink: TextSink) throws(WriteError) {
    guard !bytes.isEmpty else { return }
    defer { bytes.removeAll(keepingCapacity: true) }
    try sink.write(bytes)
  }
}

extension RawSpan {
  var hex: String {
    var text = TextBuffer()
    text.put(hex: self)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
