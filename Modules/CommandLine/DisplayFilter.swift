/// One pass over a text that makes it harmless; see `DisplayText`.
struct DisplayFilter {
  private let input: [Unicode.Scalar]
  private let lineBreaks: DisplayText.LineBreaks
  private var output = String.UnicodeScalarView()
  /// Whether something stands before that a mark may go onto.
  private var hasBase = false
  /// Zero-width characters since the last base.
  private var marks = 0
  private var column = 0
  /// Joiners since the last emoji that was not joined on.
  private var joiners = 0

  init(_ input: [Unicode.Scalar], _ lineBreaks: DisplayText.LineBreaks) {
    self.input = input
    self.lineBreaks = lineBreaks
  }

  mutating func run() -> String {
    var index = 0
    while index < input.count {
      index += take(at: index)
    }
    return String(output)
  }

  /// Handles what begins at `index` and returns how many scalars that were.
  private mutating func take(at index: Int) -> Int {
    let scalar = input[index]
    switch scalar {
    case "\r" where scalarAt(index + 1) == "\n":
      breakLine()
      return 2
    case "\n", "\r":
      breakLine()
      return 1
    case "\t":
      let spaces = DisplayText.tabColumns - column % DisplayText.tabColumns
      for _ in 0..<spaces { put(base: " ") }
      hasBase = false
      return 1
    default: break
    }
    if let length = EmojiSequence.tags(in: input, at: index) {
      put(base: scalar)
      output.append(contentsOf: input[(index + 1)..<(index + length)])
      return length
    }
    guard scalar.isPlainlyVisible else {
      if isJoining(index) { output.append(scalar) } else { put(base: DisplayText.replacement) }
      return 1
    }
    if scalar.isZeroWidth { put(mark: scalar) } else { put(base: scalar) }
    return 1
  }

  private func scalarAt(_ index: Int) -> Unicode.Scalar? {
    input.indices.contains(index) ? input[index] : nil
  }

  private mutating func breakLine() {
    switch lineBreaks {
    case .shown: put(base: DisplayText.shownLineBreak)
    case .kept:
      output.append("\n")
      column = 0
    }
    hasBase = false
  }

  private mutating func put(base: Unicode.Scalar) {
    if output.last != "\u{200D}" { joiners = 0 }
    output.append(base)
    hasBase = base != DisplayText.replacement && base != " "
    marks = 0
    column += DisplayWidth.columns(base)
  }

  private mutating func put(mark: Unicode.Scalar) {
    if !hasBase { put(base: "\u{25CC}") }
    marks += 1
    if marks <= DisplayText.maximumMarks {
      output.append(mark)
    } else if marks == DisplayText.maximumMarks + 1 {
      output.append(DisplayText.replacement)
      column += 1
    }
  }

  /// Whether an invisible character at `index` joins what stands around it into something visible.
  private mutating func isJoining(_ index: Int) -> Bool {
    guard index > 0 else { return false }
    let before = input[index - 1]
    let after = scalarAt(index + 1)
    switch input[index].value {
    case 0xFE0E, 0xFE0F: return EmojiSequence.takesSelector(before, after: after)
    case 0x200D:
      if let after, EmojiSequence.joins(input, before: index, after: after) {
        joiners += 1
        return joiners <= DisplayText.maximumJoiners
      }
      return JoiningScript.allows(before, after)
    case 0x200C: return JoiningScript.allows(before, after)
    default: return false
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character takes no column of its own: marks, and the vowels and finals that a
  /// Hangul syllable is put together with.
  var isZeroWidth: Bool {
    switch value {
    case ..<0x300: return false
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return true
    default:
      let category = properties.generalCategory
      return category == .nonspacingMark || category == .enclosingMark
    }
  }
}
