public import CommandLine
internal import Glibc
public import Identity
internal import Unlock
internal import Wire

/// How a node comes by who it is: the identity of its home, a new one on first use, or a temporary
/// one where the identity is there and cannot be opened (PROTOCOL, section 1).
public enum NodeIdentity {
  /// Passphrases that may be typed before the node goes on with a temporary identity.
  static let maximumTries = 3

  /// A home whose lock is held, and who the node is in it.
  public struct Obtained: Sendable {
    public let home: Home
    public let lock: NodeLock
    public let outcome: Outcome
  }

  /// What the node runs as.
  public enum Outcome: Sendable {
    case opened(OpenedIdentity)
    /// The identity stays as it is on disk; the reason is a sentence without full stop.
    case temporary(OpenedIdentity, because: String)
  }

  /// The identity of the home at `path`, made where there is none.
  ///
  /// `name` is what `--name` says. With `isInteractive` a person at a terminal can be asked for
  /// name and passphrase. Throws a `Failure` where options are missing or nothing can be made;
  /// until everything that a new identity needs is known, nothing is written.
  public static func obtain(
    at path: String, name: String?, _ arguments: Arguments, isInteractive: Bool,
    _ console: Console
  ) throws -> Obtained {
    if let name, name.utf8.count > Hello.maximumNameLength {
      throw Failure.usage("a name takes at most \(Hello.maximumNameLength) bytes of UTF-8")
    }
    let kind: SealingKind
    let home = try existingHome(path)
    do throws(IdentityFileError) {
      guard let home else { throw .missing(path: path) }
      kind = try IdentityFile.kind(in: home)
    } catch .missing {
      return try create(at: path, name: name, arguments, isInteractive: isInteractive, console)
    } catch {
      guard let home else { throw Failure(error) }
      return Obtained(
        home: home, lock: try NodeLock(home), outcome: temporary(name, because: error))
    }
    guard let home else { throw Failure(IdentityFileError.missing(path: path)) }
    // Before anybody is asked for a passphrase.
    let lock = try NodeLock(home)
    let outcome = try open(
      home, kind, name: name, arguments, isInteractive: isInteractive, console)
    return Obtained(home: home, lock: lock, outcome: outcome)
  }

  /// The home at `path`; nil where none is, or an empty directory that can become one.
  private static func existingHome(_ path: String) throws -> Home? {
    do throws(FileError) {
      return try Home(path: path, ifMissing: .refuse)
    } catch .missing {
      return nil
    } catch .tooOpen where access(path + "/identity", F_OK) != 0 {
      return nil
    } catch {
      throw Failure(error)
    }
  }

  private static func create(
    at path: String, name: String?, _ arguments: Arguments, isInteractive: Bool,
    _ console: Console
  ) throws -> Obtained {
    if isInteractive { console.note("no identity yet: making one in \(path)") }
    let chosen = try name ?? (isInteractive ? askName() : "")
    let key = try Unlock.newKey(arguments, canAsk: isInteractive, console)
    let home: Home
    do throws(FileError) {
      home = try Home(path: path, ifMissing: .create)
    } catch {
      throw Failure(error)
    }
    let lock = try NodeLock(home)
    let made = OpenedIdentity(identity: Identity.generate(), name: chosen)
    do throws(IdentityFileError) {
      try IdentityFile.create(in: home, made, with: key)
    } catch {
      throw Failure(error)
    }
    return Obtained(home: home, lock: lock, outcome: .opened(made))
  }

  private static func askName() throws(Failure) -> String {
    while true {
      let name = try TerminalPrompt.ask("The name others see, empty for none: ")
      if name.utf8.count <= Hello.maximumNameLength { return name }
      _ = try TerminalPrompt.ask(
        "That is over \(Hello.maximumNameLength) bytes of UTF-8. Enter to try again: ")
    }
  }

  private static func open(
    _ home: Home, _ kind: SealingKind, name: String?, _ arguments: Arguments, isInteractive: Bool,
    _ console: Console
  ) throws -> Outcome {
    let isTyped = isInteractive && kind == .passphrase && !hasOption(arguments)
    for attempt in 1... {
      let key = try Unlock.existingKey(arguments, kind: kind, canAsk: isInteractive, console)
      do throws(IdentityFileError) {
        let opened = try IdentityFile.open(in: home, with: key)
        return .opened(
          OpenedIdentity(identity: opened.identity, name: name ?? opened.name))
      } catch .otherSealing(let kind) {
        throw Failure(IdentityFileError.otherSealing(kind), code: .usage)
      } catch .wrongPassphrase where isTyped && attempt < maximumTries {
        console.warning("wrong passphrase; try again")
      } catch {
        return temporary(name, because: error)
      }
    }
    preconditionFailure("the last try returns")
  }

  private static func hasOption(_ arguments: Arguments) -> Bool {
    arguments[SealingOptions.passphraseFile] != nil || arguments[SealingOptions.keyring]
      || arguments[SealingOptions.keyFile]
  }

  private static func temporary(_ name: String?, because error: IdentityFileError) -> Outcome {
    .temporary(
      OpenedIdentity(identity: Identity.generate(), name: name ?? ""), because: "\(error)")
  }
}

extension Failure {
  init(_ error: FileError) {
    self = error.hint.map { Failure("\(error)", hints: $0) } ?? Failure("\(error)")
  }

  init(_ error: IdentityFileError, code: ExitCode = .failed) {
    if let hint = error.hint {
      self = code == .usage ? .usage("\(error)", hints: hint) : Failure("\(error)", hints: hint)
    } else {
      self = Failure("\(error)", code: code)
    }
  }
}
