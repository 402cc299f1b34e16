internal import Glibc

extension Command {
  /// What there is to do once the common requests are answered.
  public enum Start: Sendable {
    case run(Arguments, Console)
    /// Help, versions, completions or an error have been written already.
    case finished(ExitCode)
  }

  /// Reads the command line and answers what is common to all programs.
  ///
  /// Use it where `run` does not fit, as in a program that never returns from its event loop.
  public func start(_ invocation: Invocation, libraries: [Library] = []) -> Start {
    let plain = Console(
      program: name, output: invocation.output, errors: invocation.errors,
      environment: invocation.environment)
    do throws(UsageError) {
      if let flawed = invocation.flawedWord {
        throw UsageError("\(quoted(flawed)) is not UTF-8")
      }
      switch try parse(invocation.words) {
      case .run(let arguments):
        return .run(
          arguments,
          Console(
            program: name, output: invocation.output, errors: invocation.errors,
            color: arguments[Common.color, default: .auto], environment: invocation.environment))
      case .help(let path): return .finished(plain.show(help(path: path)))
      case .version: return .finished(plain.show(versionText(libraries)))
      case .completions(let shell): return .finished(plain.show(completions(for: shell)))
      }
    } catch {
      plain.error(error.message)
      return .finished(.usage)
    }
  }

  /// Runs a tool from its words to its exit code.
  ///
  /// Whatever `body` throws becomes an error line: a `Failure` with its hints and code, a
  /// `UsageError` with code 2; a closed pipe ends quietly with 0.
  public func run(
    _ invocation: Invocation, libraries: [Library] = [],
    _ body: (Arguments, Console) throws -> ExitCode
  ) -> ExitCode {
    switch start(invocation, libraries: libraries) {
    case .finished(let code): return code
    case .run(let arguments, let console):
      do {
        return try body(arguments, console)
      } catch {
        return console.report(error)
      }
    }
  }

  /// `airlink-node 0.1.0`, then a library a line.
  public func versionText(_ libraries: [Library]) -> String {
    ([Library(name, airLinkVersion)] + libraries).map { "\($0.name) \($0.version)\n" }.joined()
  }
}

extension Console {
  /// Says why a tool stopped and returns the code it ends with.
  public func report(_ error: any Error) -> ExitCode {
    switch error {
    case let failure as Failure:
      self.error(failure.message, hints: failure.hints)
      return failure.code
    case let usage as UsageError:
      self.error(usage.message)
      return .usage
    case WriteError.closed: return .done
    case WriteError.failed(let code):
      self.error("cannot write to standard output: \(systemMessage(code))")
      return .failed
    default:
      self.error("\(error)")
      return .failed
    }
  }

  func show(_ text: String) -> ExitCode {
    do throws(WriteError) {
      try output.write(text)
      return .done
    } catch {
      return report(error)
    }
  }
}

/// What the system calls an error number: `No space left on device`.
public func systemMessage(_ code: Int32) -> String {
  // Unlike strerror, strerror_r is safe on every thread.
  let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return String?.none
    }
    return String(cString: base)
  }
  return text ?? "error \(code)"
}
