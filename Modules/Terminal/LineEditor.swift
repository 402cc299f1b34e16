internal import CEdit
internal import Glibc

/// The line being typed: libedit's buffer, kill ring and commands, and the terminal's mode.
///
/// libedit draws nothing here (its output goes to the null device) and reads nothing by itself: it
/// is handed whole keys. Its own drawing (tried with 3.1-20221030) drops combining marks when it
/// draws a line anew and shows the cursor at the wrong text in a line taller than the screen; its
/// history brings back 1,024 characters of a longer line. `LineLayout`, `PromptScreen` and
/// `LineHistory` do that instead, and with keys that come whole nothing in libedit ever waits.
@MainActor
final class LineEditor {
  /// Characters a line may have: more than any message, so that one too long is refused with the
  /// limit named and not silently cut.
  static let maximumLength = 16_384

  private let input: Int32
  private let editor: OpaquePointer
  private let sink: UnsafeMutablePointer<FILE>
  /// What libedit is to read next.
  private var keys: [wchar_t] = []

  /// - Parameters:
  ///   - input: the terminal that is typed at; its mode is libedit's from here on.
  ///   - output: the terminal that is written to.
  init?(input: Int32, output: Int32) {
    guard let sink = fopen("/dev/null", "r+e") else { return nil }
    guard let editor = el_init_fd("airlink", sink, sink, sink, input, output, fileno(sink)) else {
      fclose(sink)
      return nil
    }
    self.input = input
    self.sink = sink
    self.editor = editor
    airlink_edit_set_signals(editor, 0)
    Self.withWide("emacs") { _ = airlink_edit_set_editor(editor, $0) }
    airlink_edit_set_data(editor, Unmanaged.passUnretained(self).toOpaque())
    airlink_edit_set_reader(editor) { editor, character in
      guard let editor, let data = airlink_edit_data(editor) else { return 0 }
      return MainActor.assumeIsolated {
        Unmanaged<LineEditor>.fromOpaque(data).takeUnretainedValue().nextKey(character)
      }
    }
    airlink_edit_set_unbuffered(editor, 1)
    unbindSignals()
  }

  /// Gives the terminal's mode back and frees everything; the editor is of no use after it.
  func close() {
    airlink_edit_set_unbuffered(editor, 0)
    el_end(editor)
    fclose(sink)
  }

  /// Whether the terminal is in the mode for editing, or in the one it was found in.
  func setRaw(_ isRaw: Bool) {
    airlink_edit_set_raw(editor, isRaw ? 1 : 0)
    if isRaw { unbindSignals() }
  }

  /// Makes keys of ^C, ^Z and the flow control of old terminals.
  ///
  /// ^\ stays what it is, so that a program that hangs can be ended. By hand, because libedit
  /// forgets such a setting when it takes over what the shell changed.
  private func unbindSignals() {
    var mode = termios()
    guard tcgetattr(input, &mode) == 0 else { return }
    mode.c_iflag &= ~tcflag_t(IXON)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      for index in [Int(VINTR), Int(VSUSP)] where characters.indices.contains(index) {
        characters[index] = 0  // _POSIX_VDISABLE
      }
    }
    tcsetattr(input, TCSANOW, &mode)
  }

  /// The whole line, and how many of its scalars stand before the cursor.
  var line: (text: String, cursor: Int) {
    guard let info = el_wline(editor), let start = info.pointee.buffer else { return ("", 0) }
    let count = max(0, info.pointee.lastchar - start)
    var scalars = String.UnicodeScalarView()
    for character in UnsafeBufferPointer(start: start, count: count) {
      scalars.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}")
    }
    return (String(scalars), min(count, max(0, info.pointee.cursor - start)))
  }

  /// Puts text in at the cursor; false when the line would get too long.
  func insert(_ text: String) -> Bool {
    let scalars = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    guard line.text.unicodeScalars.count + scalars.count <= Self.maximumLength else {
      return false
    }
    return scalars.isEmpty || el_winsertstr(editor, scalars + [0]) == 0
  }

  /// Takes `count` scalars before the cursor away.
  func deleteBackward(_ count: Int) { el_deletestr(editor, Int32(clamping: count)) }

  /// Moves the cursor by `count` scalars.
  func move(_ count: Int) { _ = el_cursor(editor, Int32(clamping: count)) }

  /// Makes `text` the line, the cursor at its end.
  func replace(with text: String) {
    let count = line.text.unicodeScalars.count
    move(count)
    deleteBackward(count)
    _ = insert(text)
  }

  /// Carries out the command of libedit that a key is bound to: `"A"` is ^A.
  func perform(control letter: Character) {
    guard let ascii = letter.asciiValue else { return }
    perform([wchar_t(ascii & 0x1F)])
  }

  /// Carries out the command bound to Escape and a key.
  func perform(meta letter: Character) {
    guard let ascii = letter.asciiValue else { return }
    perform([0x1B, wchar_t(ascii)])
  }

  private func perform(_ sequence: [wchar_t]) {
    keys = sequence
    var count: Int32 = 0
    while !keys.isEmpty {
      let before = keys.count
      _ = el_wgets(editor, &count)
      // A command that reads nothing would turn here for ever.
      if keys.count == before { keys = [] }
    }
  }

  private func nextKey(_ character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    guard !keys.isEmpty, let character else { return 0 }
    character.pointee = keys.removeFirst()
    return 1
  }

  private static func withWide(_ text: String, _ body: (UnsafePointer<wchar_t>) -> Void) {
    (text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0])
      .withUnsafeBufferPointer { $0.baseAddress.map(body) }
  }
}
