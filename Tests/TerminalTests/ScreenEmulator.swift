import CommandLine

/// As much of a terminal as the node needs, and a complaint about everything else.
struct ScreenEmulator {
  let columns: Int
  let rows: Int
  /// What each cell shows; empty behind a wide character.
  private var cells: [[String]]
  private(set) var scrolledOff: [String] = []
  private(set) var row = 0
  private(set) var column = 0
  private var isWrapPending = false
  /// How often the terminal had to begin a row by itself.
  private(set) var wraps = 0
  private(set) var bells = 0
  private(set) var privateModes: Set<String> = []
  /// What no program of ours may send.
  private(set) var complaints: [String] = []
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The rows with their trailing spaces left out.
  var lines: [String] { cells.map(Self.line) }

  /// Everything that was ever on the screen and is not erased.
  var transcript: [String] { scrolledOff + lines }

  private static func line(_ cells: [String]) -> String {
    var text = cells.joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    pending += bytes
    while let length = unitLength() {
      let unit = Array(pending[..<length])
      pending.removeFirst(length)
      perform(unit)
    }
  }

  /// The length of the character or sequence that stands first; nil when it is not whole.
  private func unitLength() -> Int? {
    guard let first = pending.first else { return nil }
    if first == 0x1B {
      guard pending.count > 1 else { return nil }
      guard pending[1] == UInt8(ascii: "[") else { return 2 }
      return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
    }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return pending.count >= length ? length : nil
  }

  private mutating func perform(_ unit: [UInt8]) {
    switch unit[0] {
    case 0x1B: sequence(unit)
    case 0x0D:
      column = 0
      isWrapPending = false
    case 0x0A: lineFeed()
    case 0x07: bells += 1
    case 0x20..<0x7F, 0x80...:
      guard let text = String(validating: unit, as: UTF8.self),
        let scalar = text.unicodeScalars.first
      else { return complaints.append("not UTF-8: \(unit)") }
      put(scalar)
    default: complaints.append("control character \(unit[0])")
    }
  }

  private mutating func lineFeed() {
    isWrapPending = false
    if row < rows - 1 {
      row += 1
    } else {
      scrolledOff.append(Self.line(cells.removeFirst()))
      cells.append(Array(repeating: " ", count: columns))
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      return complaints.append("character U+\(String(scalar.value, radix: 16))")
    case .format where scalar.value != 0x200D && scalar.value != 0x200C:
      return complaints.append("format character U+\(String(scalar.value, radix: 16))")
    default: break
    }
    let width = DisplayWidth.columns(String(scalar))
    if width == 0 {
      let place = isWrapPending ? column : column - 1
      guard place >= 0 else { return complaints.append("a mark at the left edge") }
      let target = cells[row][place].isEmpty && place > 0 ? place - 1 : place
      cells[row][target].unicodeScalars.append(scalar)
      return
    }
    if isWrapPending || column + width > columns {
      wraps += 1
      column = 0
      lineFeed()
    }
    cells[row][column] = String(scalar)
    if width == 2, column + 1 < columns { cells[row][column + 1] = "" }
    column += width
    if column >= columns {
      column = columns - 1
      isWrapPending = true
    }
  }

  private mutating func sequence(_ unit: [UInt8]) {
    let text = String(decoding: unit.dropFirst(), as: UTF8.self)
    guard let final = text.last, text.first == "[" else {
      return complaints.append("sequence ESC \(text)")
    }
    let parameters = String(text.dropFirst().dropLast())
    isWrapPending = false
    switch (final, parameters) {
    case ("A", _): row = max(0, row - (Int(parameters) ?? 1))
    case ("K", ""): for place in column..<columns { cells[row][place] = " " }
    case ("J", ""):
      for place in column..<columns { cells[row][place] = " " }
      for below in (row + 1)..<max(rows, row + 1) {
        cells[below] = Array(repeating: " ", count: columns)
      }
    case ("J", "2"): cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    case ("H", ""):
      row = 0
      column = 0
    case ("m", _) where parameters.allSatisfy { $0.isNumber || $0 == ";" }: break
    case ("h", _) where parameters.hasPrefix("?"): privateModes.insert(parameters)
    case ("l", _) where parameters.hasPrefix("?"): privateModes.remove(parameters)
    default: complaints.append("sequence ESC \(text)")
    }
  }
}
