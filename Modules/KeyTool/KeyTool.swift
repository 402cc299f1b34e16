public import CommandLine
package import Identity
internal import Unlock
public import Wire

/// airlink-keytool: a person's identity and contacts from the command line.
///
/// A value: what it reads beside files comes in with it, so that tests call it as a user would.
public struct KeyTool: Sendable {
  /// What surrounds a run beside words, environment and output.
  public struct Surroundings: Sendable {
    public let questions: Questions
    /// At most this many bytes of standard input.
    public let input: @Sendable (_ limit: Int) throws(Failure) -> [UInt8]
    public let now: @Sendable () -> Timestamp
    let cost: PassphraseCost
    let keyring: any SecretService

    public init(
      questions: Questions, input: @escaping @Sendable (Int) throws(Failure) -> [UInt8],
      now: @escaping @Sendable () -> Timestamp
    ) {
      self.init(
        questions: questions, input: input, now: now, cost: .moderate, keyring: Unlock.keyring)
    }

    package init(
      questions: Questions, input: @escaping @Sendable (Int) throws(Failure) -> [UInt8],
      now: @escaping @Sendable () -> Timestamp, cost: PassphraseCost,
      keyring: any SecretService
    ) {
      self.questions = questions
      self.input = input
      self.now = now
      self.cost = cost
      self.keyring = keyring
    }
  }

  let arguments: Arguments
  let console: Console
  let environment: [String: String]
  let surroundings: Surroundings

  /// Runs the tool from its words to its exit code.
  public static func run(_ invocation: Invocation, _ surroundings: Surroundings) -> ExitCode {
    command.run(invocation, libraries: libraries) { arguments, console in
      let tool = KeyTool(
        arguments: arguments, console: console, environment: invocation.environment,
        surroundings: surroundings)
      try tool.run()
      return .done
    }
  }

  private func run() throws {
    switch arguments.path.first {
    case "create": try create()
    case "show": try show()
    case "number": try number()
    case "card": try card()
    case "import": try importCard()
    case "contacts": try contacts()
    case "accept": try accept()
    case "block": try block(true)
    case "unblock": try block(false)
    case "passwd": try passwd()
    case "verify": try verify()
    default: throw UsageError("which command? 'airlink-keytool --help' lists them")
    }
  }

  var wantsJSON: Bool { arguments[Common.json] }

  func homePath() throws(Failure) -> String {
    try HomeDirectory.resolve(option: arguments[Common.home], environment: environment)
  }

  /// The home, which has to be there.
  func home() throws(Failure) -> Home {
    let path = try homePath()
    do throws(FileError) {
      return try Home(path: path, ifMissing: .refuse)
    } catch {
      throw error == .missing(path: path)
        ? Failure(IdentityFileError.missing(path: path)) : Failure(error)
    }
  }

  /// The home, its identity and its contacts.
  func open() throws(Failure) -> (own: OpenedIdentity, store: ContactStore) {
    let home = try home()
    let own = try unlock(home).own
    return (own, ContactStore(home: home, identity: own.identity))
  }
}
