internal import CBSD
internal import Glibc

/// Questions asked on the controlling terminal, whatever standard input and output are.
///
/// `readpassphrase(3)` of libbsd turns the echo off and on again, also when a signal ends or stops
/// the program in the middle. Ask before there are other threads: a signal interrupts the question only in the
/// thread that it reaches.
public enum TerminalPrompt {
  /// The longest answer to a plain question, in bytes.
  public static let maximumAnswerBytes = 1024

  /// Whether there is a terminal to ask on.
  public static var isAvailable: Bool {
    let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }

  /// Asks for one line that may be seen, and returns it without white space at its ends.
  ///
  /// - Throws: `Failure` without a terminal, or when the answer is too long or not UTF-8.
  /// - Returns: the answer, empty when nothing was typed.
  public static func ask(_ prompt: String) throws(Failure) -> String {
    var line = [CChar](repeating: 0, count: maximumAnswerBytes + 2)
    guard readpassphrase(prompt, &line, line.count, RPP_ECHO_ON | RPP_REQUIRE_TTY) != nil else {
      throw failure(errno)
    }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    guard bytes.count <= maximumAnswerBytes else {
      throw Failure("the answer is over \(maximumAnswerBytes) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("the answer is not UTF-8")
    }
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()))
  }

  static func failure(_ code: Int32) -> Failure {
    switch code {
    case ENOTTY, ENXIO, ENODEV, ENOENT: Failure("there is no terminal to ask on")
    case EINTR: Failure("interrupted while asking")
    default: Failure("cannot ask on the terminal: \(systemMessage(code))")
    }
  }
}

extension Passphrase {
  /// Asks for a passphrase with the echo off.
  ///
  /// - Throws: `Failure` without a terminal, or when nothing or too much was typed.
  /// - Returns: the passphrase, of 1 to `maximumBytes` bytes.
  public static func ask(_ prompt: String = "Passphrase: ") throws(Failure) -> Passphrase {
    var passphrase = try Passphrase()
    try passphrase.fill { (page: UnsafeMutableRawBufferPointer) throws(Failure) -> Int in
      guard let base = page.baseAddress?.assumingMemoryBound(to: CChar.self),
        readpassphrase(prompt, base, page.count, RPP_ECHO_OFF | RPP_REQUIRE_TTY) != nil
      else { throw TerminalPrompt.failure(errno) }
      return strlen(base)
    }
    try passphrase.checked("the passphrase")
    return passphrase
  }

  /// Asks for a new passphrase, twice, so that a typing error locks nobody out.
  ///
  /// - Throws: `Failure` as `ask`, and when the two differ.
  /// - Returns: the passphrase both times typed.
  public static func askNew(
    _ prompt: String = "New passphrase: ", again: String = "The same again: "
  ) throws(Failure) -> Passphrase {
    let first = try ask(prompt)
    let second = try ask(again)
    guard first.matches(second) else {
      throw Failure("the two passphrases differ", hints: "run it again")
    }
    return first
  }
}
