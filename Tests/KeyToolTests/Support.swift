import CommandLine
import Foundation
import Identity
import TestSupport
import Testing
import Wire

@testable import KeyTool

/// The tool as a user has it, in a directory of its own.
final class Desk: Sendable {
  static let now = Timestamp(milliseconds: 1_750_000_000_123)
  private let directory: ScratchDirectory
  var path: String { directory.path }

  init() throws { directory = try ScratchDirectory() }

  /// What a run wrote and how it ended.
  struct Result {
    let code: ExitCode
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The one object printed.
    func object() throws -> [String: Any] {
      let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
      return try #require(object as? [String: Any])
    }
  }

  /// Runs the tool on the home of `who`, which is sealed with a key file unless `words` say so.
  @discardableResult
  func run(
    _ who: String = "ada", _ words: String..., input: String = "", typed: [String]? = nil,
    isTerminal: Bool = false
  ) -> Result {
    run(words: ["--home", home(who)] + words, input: input, typed: typed, isTerminal: isTerminal)
  }

  func run(
    words: [String], environment: [String: String] = [:], input: String = "",
    typed: [String]? = nil, isTerminal: Bool = false
  ) -> Result {
    let (output, errors) = (RecordedText(), RecordedText())
    let code = KeyTool.run(
      Invocation(
        words, environment: environment, output: output.sink(isTerminal: isTerminal),
        errors: errors.sink(isTerminal: isTerminal)),
      KeyTool.Surroundings(
        questions: Answers(typed).questions,
        input: { (limit: Int) throws(Failure) in Array(input.utf8.prefix(limit)) },
        now: { Self.now }, cost: .lowest, keyring: NoKeyring()))
    return Result(code: code, output: output.text, errors: errors.text)
  }

  func home(_ who: String) -> String { path + "/" + who }

  /// Makes an identity sealed with a key file.
  @discardableResult
  func create(_ who: String, name: String? = nil) -> String {
    let words =
      ["--home", home(who), "create", "--key-file"] + (name.map { ["--name", $0] } ?? [])
    return run(words: words).lines.first ?? ""
  }

  func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws -> String {
    let file = path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: file))
    #expect(chmod(file, mode) == 0)
    return file
  }

  func text(_ name: String) throws -> String {
    try String(decoding: Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  /// What stands in a home, lock files aside.
  func names(_ who: String = "ada") -> [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: home(who))
    return (all ?? []).filter { !$0.hasSuffix(".lock") }.sorted()
  }
}

/// Gives what a person would type, in turn; nil is nobody there.
private final class Answers: @unchecked Sendable {
  // Tests ask from one thread alone, and the lock would hold for more.
  private let lock = NSLock()
  private let isPresent: Bool
  private var rest: [String]

  init(_ typed: [String]?) {
    isPresent = typed != nil
    rest = typed ?? []
  }

  private func next() throws(Failure) -> String {
    let answer = lock.withLock { rest.isEmpty ? nil : rest.removeFirst() }
    guard let answer else { throw Failure("nothing more is typed") }
    return answer
  }

  private func secret() throws(Failure) -> SecretBytes {
    var bytes = Array(try next().utf8)
    return SecretBytes(consuming: &bytes)
  }

  var questions: Questions {
    Questions(
      isAvailable: { self.isPresent },
      line: { (_: String) throws(Failure) in try self.next() },
      passphrase: { () throws(Failure) in try self.secret() },
      newPassphrase: { () throws(Failure) in try self.secret() })
  }
}

/// Two people of one number, from `Fixtures/identity`.
struct Twins {
  let cards: [String]
  let number: String
  let fingerprints: [String]

  init() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let url = root.appending(components: "Fixtures", "identity", "identity.json")
    struct File: Decodable {
      struct Person: Decodable { let card, number, fingerprint: String }
      let twins: [Person]
    }
    let twins = try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).twins
    cards = twins.map(\.card)
    number = twins[0].number
    fingerprints = twins.map(\.fingerprint)
  }
}

/// A desktop without a keyring.
private struct NoKeyring: SecretService {
  private struct Absent: Error, CustomStringConvertible {
    var description: String { "there is none" }
  }

  func prepare() throws { throw Absent() }
  func secret(named name: [UInt8]) throws -> SecretBytes? { throw Absent() }
  func store(_ secret: borrowing SecretBytes, named name: [UInt8]) throws { throw Absent() }
  func remove(named name: [UInt8]) throws { throw Absent() }
}
