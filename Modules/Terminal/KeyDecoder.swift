/// Makes keys of the bytes a terminal sends (ECMA-48, xterm's control sequences).
///
/// Sequences that are not known are passed over whole, so that no key that this program does not
/// know leaves rubbish in the line. Nothing grows without bound, whatever comes.
struct KeyDecoder: Sendable {
  /// Longer sequences of parameters are nobody's.
  static let maximumSequence = 64
  /// A paste longer than this is cut: eight times what a message takes.
  static let maximumPaste = 65_536

  private enum State {
    case ground
    /// The beginning of a character in UTF-8.
    case character([UInt8])
    case escape
    /// ESC O
    case singleShift
    /// ESC [ and its parameters
    case control([UInt8])
    /// A string for the terminal's owner (OSC, DCS, …), skipped to its end; after an ESC or not.
    case string(sawEscape: Bool)
    case paste
  }

  private var state = State.ground
  private var pasted: [UInt8] = []
  private var isPasteCut = false
  private var keys: [Key] = []

  /// Whether bytes of an unfinished sequence are held: `giveUp` is due when none follow.
  var isWaiting: Bool {
    if case .ground = state { false } else { true }
  }

  /// Whether a paste has begun, which may take its time.
  var isPasting: Bool {
    if case .paste = state { true } else { false }
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    for byte in bytes { take(byte) }
    defer { keys = [] }
    return keys
  }

  /// Ends a sequence that does not go on: a bare Escape, a paste without an end.
  mutating func giveUp() -> [Key] {
    if case .paste = state { endPaste(markerLength: 0) }
    state = .ground
    defer { keys = [] }
    return keys
  }

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .ground: takeFirst(byte)
    case .character(let begun): take(byte, after: begun)
    case .escape: takeEscaped(byte)
    case .singleShift:
      state = .ground
      takeFinal(byte, parameters: [])
    case .control(let parameters):
      switch byte {
      case 0x20...0x3F:
        // An over-long sequence is still read to its end, so that the end is not taken for text.
        state = .control(
          parameters.count < Self.maximumSequence ? parameters + [byte] : parameters)
      case 0x40...0x7E:
        state = .ground
        takeFinal(byte, parameters: parameters)
      case 0x1B: state = .escape
      default:
        state = .ground
        takeFirst(byte)
      }
    case .string(let sawEscape):
      if byte == 0x07 || sawEscape && byte == UInt8(ascii: "\\") {
        state = .ground
      } else {
        state = .string(sawEscape: byte == 0x1B)
      }
    case .paste: takePasted(byte)
    }
  }

  private mutating func takeFirst(_ byte: UInt8) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: keys.append(.enter)
    case 0x09: keys.append(.tab)
    case 0x08, 0x7F: keys.append(.backspace)
    case 0x00..<0x20: keys.append(.control(Character(Unicode.Scalar(byte + 0x40))))
    case 0x20..<0x7F: type(Character(Unicode.Scalar(byte)))
    case 0xC2...0xF4: state = .character([byte])
    default: break  // no character in UTF-8 begins so
    }
  }

  private mutating func take(_ byte: UInt8, after begun: [UInt8]) {
    guard byte & 0xC0 == 0x80 else {
      // The character was cut off: it is dropped, and this byte begins something new.
      takeFirst(byte)
      return
    }
    let bytes = begun + [byte]
    let length = begun[0] < 0xE0 ? 2 : begun[0] < 0xF0 ? 3 : 4
    if bytes.count < length {
      state = .character(bytes)
      return
    }
    state = .ground
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return }
    type(character)
  }

  private mutating func type(_ character: Character) {
    if case .text(let before)? = keys.last {
      keys[keys.count - 1] = .text(before + String(character))
    } else {
      keys.append(.text(String(character)))
    }
  }

  private mutating func takeEscaped(_ byte: UInt8) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["): state = .control([])
    case UInt8(ascii: "O"): state = .singleShift
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      state = .string(sawEscape: false)
    case 0x1B: state = .escape
    case 0x08, 0x7F: keys.append(.meta("\u{7F}"))
    case 0x0D, 0x0A: keys.append(.enter)
    case 0x20..<0x7F: keys.append(.meta(Character(Unicode.Scalar(byte))))
    default: takeFirst(byte)
    }
  }

  /// The end of ESC [ or ESC O.
  private mutating func takeFinal(_ byte: UInt8, parameters: [UInt8]) {
    let text = String(decoding: parameters, as: UTF8.self)
    // `1;5C`: the modifier stands second; 1 is none, 2 shift.
    let isModified = text.split(separator: ";").dropFirst().first.map { $0 != "2" && $0 != "1" }
    switch byte {
    case UInt8(ascii: "A"): keys.append(.up)
    case UInt8(ascii: "B"): keys.append(.down)
    case UInt8(ascii: "C"): keys.append(isModified ?? false ? .wordRight : .right)
    case UInt8(ascii: "D"): keys.append(isModified ?? false ? .wordLeft : .left)
    case UInt8(ascii: "H"): keys.append(.home)
    case UInt8(ascii: "F"): keys.append(.end)
    case UInt8(ascii: "M") where parameters.isEmpty: keys.append(.enter)  // the keypad's
    case UInt8(ascii: "I") where parameters.isEmpty: keys.append(.focusIn)
    case UInt8(ascii: "O") where parameters.isEmpty: keys.append(.focusOut)
    case UInt8(ascii: "~"):
      switch text.split(separator: ";").first {
      case "1", "7": keys.append(.home)
      case "4", "8": keys.append(.end)
      case "3": keys.append(.delete)
      case "200":
        state = .paste
        pasted = []
        isPasteCut = false
      default: break
      }
    default: break
    }
  }

  private static let pasteEnd = [UInt8]("\u{1B}[201~".utf8)

  private mutating func takePasted(_ byte: UInt8) {
    if pasted.count >= Self.maximumPaste {
      // Only the last bytes matter now: they may be the end.
      pasted.removeSubrange(
        pasted.count - Self.pasteEnd.count..<pasted.count - Self.pasteEnd.count + 1)
      isPasteCut = true
    }
    pasted.append(byte)
    if byte == UInt8(ascii: "~"), pasted.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
      endPaste(markerLength: Self.pasteEnd.count)
    }
  }

  private mutating func endPaste(markerLength: Int) {
    state = .ground
    var text = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in String(decoding: pasted.dropLast(markerLength), as: UTF8.self).unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      switch scalar {
      case "\n" where isAfterReturn: break
      case "\n", "\r", "\u{2028}", "\u{2029}", "\u{85}": text.append("\n")
      case "\t": text.append("\t")
      default:
        if scalar.properties.generalCategory != .control { text.append(scalar) }
      }
    }
    while text.last == "\n" { text.removeLast() }
    pasted = []
    if !text.isEmpty { keys.append(.paste(String(text), isCut: isPasteCut)) }
  }
}
