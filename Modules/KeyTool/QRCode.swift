internal import CQRencode
internal import CommandLine

/// A text as a QR code made of characters, two rows of modules to a line.
struct QRCode {
  /// Light modules around the code (ISO/IEC 18004, section 9.1).
  static let quietZone = 4

  let width: Int
  private let isDark: [Bool]

  /// Lowest error correction: a screen is clean, and the code stays small.
  init(_ text: String) throws(Failure) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
      throw Failure("the card does not fit into a QR code")
    }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    // The lowest bit of a module says that it is dark.
    isDark = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
  }

  func isDark(row: Int, column: Int) -> Bool {
    (0..<width).contains(row) && (0..<width).contains(column) && isDark[row * width + column]
  }

  /// The code in lines; in colours black on white, else light modules as blocks, as suits a dark
  /// terminal.
  func text(colors: Bool) -> String {
    let range = -Self.quietZone..<width + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let line = range.map { column -> Character in
        switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
        case (false, false): "\u{2588}"
        case (false, true): "\u{2580}"
        case (true, false): "\u{2584}"
        case (true, true): " "
        }
      }
      // Bright white on black, whatever the terminal's own colours are.
      return (colors ? "\u{1B}[97;40m" + String(line) + "\u{1B}[0m" : String(line)) + "\n"
    }.joined()
  }
}
