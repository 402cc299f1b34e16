internal import CommandLine
internal import Identity
internal import Unlock
internal import Wire

/// How the tool gets at the identity: from what the command line says, and from the person at the
/// terminal where it says nothing.
extension KeyTool {
  /// How often a passphrase may be typed wrong.
  static let maximumTries = 3

  /// Opens the identity of `home`.
  ///
  /// A key file or keyring that the identity itself names needs no option.
  func unlock(
    _ home: Home
  ) throws(Failure) -> (own: OpenedIdentity, key: any SealingKey) {
    // Without its key already it can be told that the file is damaged, or sealed in another way.
    let kind = try Failure.of { () throws(IdentityFileError) in try IdentityFile.kind(in: home) }
    let choice = SealingChoice(arguments)
    if let choice, choice.kind != kind {
      throw .usage(
        IdentityFileError.otherSealing(kind).description, hints: "say so: \(kind.option)")
    }
    let isTyped = choice == nil && kind == .passphrase
    if isTyped, !surroundings.questions.isAvailable() {
      throw .usage(
        "there is no terminal to ask for the passphrase on",
        hints: "give it with --passphrase-file F")
    }
    for attempt in 1... {
      let key = try existingKey(choice, kind)
      do throws(IdentityFileError) {
        return (try IdentityFile.open(in: home, with: key), key)
      } catch {
        guard isTyped, error == .wrongPassphrase, attempt < Self.maximumTries else {
          throw Failure(error)
        }
        console.note("wrong passphrase; try again")
      }
    }
    preconditionFailure("the last try returns or throws")
  }

  private func existingKey(
    _ choice: SealingChoice?, _ kind: SealingKind
  ) throws(Failure) -> any SealingKey {
    if let choice { return try key(for: choice) }
    switch kind {
    case .keyFile: return KeyFile()
    case .keyring: return KeyringKey(surroundings.keyring)
    case .passphrase:
      return PassphraseKey(try surroundings.questions.passphrase(), cost: surroundings.cost)
    }
  }

  private func key(for choice: SealingChoice) throws(Failure) -> any SealingKey {
    try choice.key(console, cost: surroundings.cost, keyring: surroundings.keyring)
  }

  /// A key to seal something new with, by `choice`, or by a passphrase that is asked for.
  func newKey(_ choice: SealingChoice?) throws(Failure) -> any SealingKey {
    if let choice {
      let key = try key(for: choice)
      try Unlock.check(key)
      return key
    }
    return PassphraseKey(try surroundings.questions.newPassphrase(), cost: surroundings.cost)
  }

  /// Refuses where a new passphrase would have to be asked for and nobody is there; `prefix` is
  /// what the options that say it begin with.
  func requireTerminal(_ choice: SealingChoice?, prefix: String) throws(Failure) {
    guard choice == nil, !surroundings.questions.isAvailable() else { return }
    throw .usage(
      "there is no terminal to ask for a passphrase on",
      hints: "say how to seal the identity: \(prefix)passphrase-file F, \(prefix)keyring or "
        + "\(prefix)key-file")
  }
}
