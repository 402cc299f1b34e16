internal import Capture
internal import CommandLine
internal import Glibc
internal import Wire

/// Text on its way out: put together as bytes, written in large pieces.
struct TextBuffer {
  /// Written once this much is there.
  static let capacity = 64 * 1_024

  private var storage: [UInt8] = []
  private(set) var count = 0

  var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Lends room for at most `limit` bytes, of which as many count as were put there.
  mutating func put(atMost limit: Int, _ body: (inout TextCursor) -> Void) {
    if count + limit > storage.count {
      let more = max(limit, min(Self.capacity, storage.count))
      storage.append(contentsOf: repeatElement(0, count: more))
    }
    count += storage.withUnsafeMutableBytes { buffer in
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + limit])
      var cursor = TextCursor(room)
      body(&cursor)
      return cursor.count
    }
  }

  mutating func put(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in put(UnsafeRawBufferPointer(utf8)) }
  }

  mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

  private mutating func put(_ bytes: UnsafeRawBufferPointer) {
    put(atMost: bytes.count) { $0.put(bytes) }
  }

  mutating func put(byte: UInt8) { put(atMost: 1) { $0.put(byte: byte) } }

  /// A number in decimal, with zeros before it up to `width` digits.
  mutating func put(_ value: some BinaryInteger, width: Int = 0) {
    put(atMost: 24 + width) { $0.put(decimal: Int64(clamping: value), width: width) }
  }

  mutating func put(hex: RawSpan) {
    put(atMost: 2 * hex.byteCount) { cursor in
      for index in 0..<hex.byteCount { cursor.put(hexByte: hex.byte(at: index)) }
    }
  }

  mutating func put(hexByte byte: UInt8) { put(atMost: 2) { $0.put(hexByte: byte) } }

  /// Spaces, until `columns` bytes stand behind `start`.
  mutating func pad(from start: Int, to columns: Int) {
    for _ in 0..<max(0, start + columns - count) { put(byte: UInt8(ascii: " ")) }
  }

  /// A number that is not negative, with one decimal.
  mutating func put(tenths value: Double) {
    let tenths = Int((max(0, min(value, 1e12)) * 10).rounded())
    put("\(tenths / 10).\(tenths % 10)")
  }

  mutating func endLine() { put(byte: UInt8(ascii: "\n")) }

  mutating func flush(to sink: TextSink) throws(WriteError) {
    guard count > 0 else { return }
    defer { count = 0 }
    try sink.write(Array(bytes))
  }
}

/// Writes into room that is there: what does not fit is left out.
struct TextCursor {
  let room: UnsafeMutableRawBufferPointer
  var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

  @inline(__always)
  mutating func put(byte: UInt8) {
    guard count < room.count else { return }
    room[count] = byte
    count += 1
  }

  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    let length = min(bytes.count, room.count - count)
    guard length > 0, let from = bytes.baseAddress, let to = room.baseAddress else { return }
    memcpy(to + count, from, length)
    count += length
  }

  /// Puts it there whole or not at all.
  ///
  /// In line, so that a few bytes of a known number are a store or two.
  @inline(__always)
  mutating func put(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard room.count - count >= length, let to = room.baseAddress else { return }
    memcpy(to + count, text.utf8Start, length)
    count += length
  }

  mutating func put(hexByte byte: UInt8) {
    put(byte: Self.digit(byte >> 4))
    put(byte: Self.digit(byte & 15))
  }

  /// A hexadecimal digit.
  private static func digit(_ value: UInt8) -> UInt8 {
    value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }

  /// An id, four bytes at once: every line has one.
  @inline(__always)
  mutating func put(id: PacketID) {
    guard room.count - count >= 2 * PacketID.byteCount else { return }
    withUnsafeBytes(of: id) { bytes in
      for offset in stride(from: 0, to: PacketID.byteCount, by: 4) {
        let four = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        room.storeBytes(
          of: Self.digits(four).bigEndian, toByteOffset: count + 2 * offset, as: UInt64.self)
      }
    }
    count += 2 * PacketID.byteCount
  }

  /// The eight digits of a number, the first in the highest byte.
  private static func digits(_ value: UInt32) -> UInt64 {
    // A digit to each byte.
    var digits = UInt64(value)
    digits = (digits | digits &<< 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits &<< 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 for each that is a letter: 39 lie between 9 and a.
    let letters = (digits &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }

  /// A number below 100 as two digits.
  @inline(__always)
  mutating func put(twoDigits value: UInt32) {
    guard room.count - count >= 2 else { return }
    let tens = (value &* 103) &>> 10
    let ones = value &- 10 &* tens
    let pair = UInt16(truncatingIfNeeded: 0x3030 &+ tens &+ ones &<< 8)
    room.storeBytes(of: pair.littleEndian, toByteOffset: count, as: UInt16.self)
    count += 2
  }

  /// A number below 10,000, as most are that stand on lines.
  @inline(__always)
  mutating func put(small value: UInt32) {
    if value < 10 {
      put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
    } else if value < 100 {
      put(twoDigits: value)
    } else if value < 1_000 {
      guard room.count - count >= 3 else { return }
      put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 100))
      put(twoDigits: value % 100)
    } else {
      put(decimal: UInt64(value))
    }
  }

  mutating func put(decimal value: Int64, width: Int = 0) {
    if value < 0 { put(byte: UInt8(ascii: "-")) }
    put(decimal: value.magnitude, width: width)
  }

  mutating func put(decimal value: UInt64, width: Int = 0) {
    if width > 1 {
      var power: UInt64 = 1
      for _ in 1..<min(width, 19) { power *= 10 }
      while power > value, power > 1 {
        put(byte: UInt8(ascii: "0"))
        power /= 10
      }
    }
    guard room.count - count >= Self.maximumDigits || room.count - count >= Self.digits(value)
    else { return }
    if value < 10 {
      put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
    } else if value < 100 {
      put(twoDigits: UInt32(truncatingIfNeeded: value))
    } else {
      put(decimal: value / 100)
      put(twoDigits: UInt32(truncatingIfNeeded: value % 100))
    }
  }

  private static let maximumDigits = 20

  private static func digits(_ value: UInt64) -> Int {
    var (digits, rest) = (1, value / 10)
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    return digits
  }
}

extension RawSpan {
  var hex: String {
    var text = TextBuffer()
    text.put(hex: self)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
