internal import CommandLine
internal import Identity

/// The errors of Identity in words for the person who ran the program.
extension Failure {
  init(_ error: IdentityFileError) { self.init(error.description, error.hint) }
  init(_ error: FileError) { self.init(error.description, error.hint) }
  init(_ error: ContactStore.Failure) { self.init(error.description, error.hint) }

  /// Paths stand in both, as somebody wrote them: they are made harmless.
  private init(_ message: String, _ hint: String?) {
    let message = DisplayText(message).description
    if let hint {
      self.init(message, hints: DisplayText(hint).description)
    } else {
      self.init(message)
    }
  }

  /// Runs `body`, whose errors become failures.
  static func of<Result>(
    _ body: () throws(IdentityFileError) -> Result
  ) throws(Failure) -> Result {
    do throws(IdentityFileError) { return try body() } catch { throw Failure(error) }
  }

  static func of<Result>(
    _ body: () throws(ContactStore.Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(ContactStore.Failure) { return try body() } catch { throw Failure(error) }
  }
}
