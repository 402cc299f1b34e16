import CommandLine
import Glibc
import Testing

private func text(_ passphrase: borrowing Passphrase) -> String {
  passphrase.withBytes { String(decoding: $0, as: UTF8.self) }
}

@Suite struct PassphraseTests {
  @Test(
    "a file's passphrase is all of it but one newline at the end",
    arguments: [
      ("secret\n", "secret"), ("secret", "secret"), ("secret\n\n", "secret\n"),
      ("two\nlines\n", "two\nlines"), (" spaced \n", " spaced "), ("win\r\n", "win\r"),
      ("nul\u{0}inside\n", "nul\u{0}inside"), ("pässwörd\n", "pässwörd"),
    ])
  func file(content: String, expected: String) throws {
    let file = try TemporaryFile(content)
    let passphrase = try Passphrase.read(file: file.path) { Issue.record("\($0)") }
    #expect(text(passphrase) == expected)
    #expect(passphrase.count == expected.utf8.count)
  }

  @Test("the longest passphrase is taken and one more byte is not", arguments: ["", "\n"])
  func longest(end: String) throws {
    let longest = String(repeating: "p", count: Passphrase.maximumBytes)
    let fits = try TemporaryFile(longest + end)
    #expect(try Passphrase.read(file: fits.path) { _ in }.count == Passphrase.maximumBytes)
    for more in ["p", "\n\n", "pp\n"] {
      let over = try TemporaryFile(longest + more)
      #expect(throws: Failure("passphrase file \(quoted(over.path)) is over 1024 bytes")) {
        _ = try Passphrase.read(file: over.path) { _ in }
      }
    }
    #expect(throws: Failure("passphrase file '/dev/zero' is over 1024 bytes")) {
      _ = try Passphrase.read(file: "/dev/zero") { _ in }
    }
  }

  @Test("an empty file, a folder and a file that is not there are refused", arguments: ["", "\n"])
  func refused(content: String) throws {
    let file = try TemporaryFile(content)
    #expect(throws: Failure("passphrase file \(quoted(file.path)) is empty")) {
      _ = try Passphrase.read(file: file.path) { _ in }
    }
    #expect(throws: Failure("cannot read passphrase file '/usr': Is a directory")) {
      _ = try Passphrase.read(file: "/usr") { _ in }
    }
    #expect(throws: Failure("cannot read passphrase file '/none': No such file or directory")) {
      _ = try Passphrase.read(file: "/none") { _ in }
    }
  }

  @Test("a file that others may read is warned of", arguments: [0o600, 0o400, 0o640, 0o604, 0o620])
  func mode(mode: mode_t) throws {
    let file = try TemporaryFile("secret\n", mode: mode)
    var warnings: [String] = []
    _ = try Passphrase.read(file: file.path) { warnings.append($0) }
    #expect(warnings.isEmpty == (mode & 0o077 == 0))
    if let warning = warnings.first {
      #expect(
        warning == "passphrase file \(quoted(file.path)) is open to others; close it with: "
          + "chmod 600 FILE")
    }
  }

  @Test("a pipe serves as a file")
  func pipeAsFile() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    try TextSink.descriptor(ends[1]).write("from a pipe\n")
    close(ends[1])
    let passphrase = try Passphrase.read(file: "/dev/fd/\(ends[0])") { Issue.record("\($0)") }
    close(ends[0])
    #expect(text(passphrase) == "from a pipe")
  }

  @Test("passphrases match when all their bytes do")
  func matches() throws {
    let files = [
      try TemporaryFileBox("secret"), try TemporaryFileBox("secreT"), try TemporaryFileBox("secre"),
    ]
    let secret = try Passphrase.read(file: files[0].path) { _ in }
    let again = try Passphrase.read(file: files[0].path) { _ in }
    let other = try Passphrase.read(file: files[1].path) { _ in }
    let shorter = try Passphrase.read(file: files[2].path) { _ in }
    let results = [secret.matches(again), secret.matches(other), secret.matches(shorter)]
    #expect(results == [true, false, false])
  }
}

/// A temporary file that can stand in an array.
final class TemporaryFileBox {
  private let file: TemporaryFile
  var path: String { file.path }

  init(_ text: String) throws { file = try TemporaryFile(text) }
}
