import CommandLine
import Foundation
import Identity
import Testing

@testable import Unlock

@Suite("unlock") struct UnlockTests {
  private static let command = Command("tool", summary: "Tries", parameters: SealingOptions.all)
  private let errors = RecordedText()

  private var console: Console {
    Console(program: "tool", output: .null, errors: errors.sink())
  }

  private func arguments(_ words: [String]) throws -> Arguments {
    let invocation = Invocation(words, output: .null, errors: .null)
    guard case .run(let arguments, _) = Self.command.start(invocation) else {
      throw Failure("\(words) do not parse")
    }
    return arguments
  }

  /// What the failure of `body` is.
  private func failure(_ body: () throws -> Void) -> Failure? {
    do { try body() } catch { return error as? Failure }
    return nil
  }

  @Test("the options say the choice, and the choice its kind")
  func choices() throws {
    let expected: [([String], SealingChoice?, SealingKind?)] = [
      ([], nil, nil), (["--keyring"], .keyring, .keyring), (["--key-file"], .keyFile, .keyFile),
      (["--passphrase-file", "f"], .passphraseFile("f"), .passphrase),
    ]
    for (words, choice, kind) in expected {
      #expect(try SealingChoice(arguments(words)) == choice)
      #expect(choice?.kind == kind)
      if let choice, choice.kind != .passphrase {
        #expect(try choice.key(console).kind == kind)
      }
    }
  }

  @Test("a passphrase file makes a key that opens what it sealed")
  func passphraseFile() throws {
    let folder = NSTemporaryDirectory() + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let home = try Home(path: folder + "/home", ifMissing: .create)
    let file = folder + "/passphrase"
    try Data("secret\n".utf8).write(to: URL(filePath: file))
    #expect(chmod(file, 0o640) == 0)
    let key = try SealingChoice.passphraseFile(file).key(console, cost: .lowest)
    try IdentityFile.create(
      in: home, OpenedIdentity(identity: .generate(), name: "Ada"), with: key)
    var bytes = Array("secret".utf8)
    let typed = PassphraseKey(SecretBytes(consuming: &bytes))
    #expect(try IdentityFile.open(in: home, with: typed).name == "Ada")
    #expect(errors.text.hasPrefix("tool: warning: "))
    #expect(failure { _ = try SealingChoice.passphraseFile(folder + "/no").key(console) } != nil)
  }

  @Test("without an option and without a terminal the three ways are named, with code 2")
  func nobodyToAsk() throws {
    let missing = failure { _ = try Unlock.newKey(arguments([]), canAsk: false, console) }
    #expect(missing?.code == .usage)
    for option in ["--passphrase-file", "--keyring", "--key-file"] {
      #expect(missing?.hints.joined().contains(option) == true)
    }
    let sealed = failure {
      _ = try Unlock.existingKey(arguments([]), kind: .passphrase, canAsk: false, console)
    }
    #expect(sealed?.code == .usage)
    #expect(sealed?.hints.joined().contains("--passphrase-file") == true)
  }

  @Test("a key file or keyring that the identity names needs no option; an option comes first")
  func existingKey() throws {
    for kind in [SealingKind.keyFile, .keyring] {
      let key = try Unlock.existingKey(arguments([]), kind: kind, canAsk: false, console)
      #expect(key.kind == kind)
    }
    let key = try Unlock.existingKey(
      arguments(["--key-file"]), kind: .passphrase, canAsk: true, console)
    #expect(key.kind == .keyFile)
    #expect(try Unlock.newKey(arguments(["--key-file"]), canAsk: false, console).kind == .keyFile)
  }
}
