/// What the user did at the keyboard, or the terminal told by itself.
enum Key: Hashable, Sendable {
  /// Characters typed: printable, no line break.
  case text(String)
  case enter
  case tab
  case backspace
  case delete
  case left, right, up, down
  case wordLeft, wordRight
  case home, end
  /// A control character that has no case of its own, by its letter: `"C"` is ^C.
  case control(Character)
  /// Alt with an ASCII letter, or Escape before it.
  case meta(Character)
  /// A text between the brackets of a paste: no control characters but line feed, and none at its
  /// end. `isCut` when it was longer than is taken.
  case paste(String, isCut: Bool)
  /// The terminal came to the front, or went to the back.
  case focusIn, focusOut
}
