import CommandLine
import Dispatch
import Glibc
import Synchronization
import Testing

/// Runs in processes of their own, where a terminal becomes the controlling one.
@Suite struct TerminalPromptTests {
  @Test("a passphrase is read with the echo off, which is on again afterwards")
  func passphrase() async {
    await #expect(processExitsWith: .success) {
      let terminal = try TestTerminal()
      terminal.answer("secret\n", to: "Passphrase: ", echo: false)
      let passphrase = try Passphrase.ask()
      let isRight = passphrase.withBytes { Array($0) == Array("secret".utf8) }
      terminal.finish(isRight)
    }
  }

  @Test("a new passphrase is asked for twice, and both must be the same", arguments: [true, false])
  func newPassphrase(isSame: Bool) async {
    await #expect(processExitsWith: .success) { [isSame] in
      let terminal = try TestTerminal()
      terminal.answer("secret\n", to: "New passphrase: ", echo: false)
      terminal.answer(isSame ? "secret\n" : "secreT\n", to: "The same again: ", echo: false)
      do throws(Failure) {
        let passphrase = try Passphrase.askNew()
        terminal.finish(isSame && passphrase.count == 6)
      } catch {
        terminal.finish(
          !isSame && error == Failure("the two passphrases differ", hints: "run it again"))
      }
    }
  }

  @Test("nothing typed is no passphrase", arguments: ["\n", "\u{4}"])
  func nothing(typed: String) async {
    await #expect(processExitsWith: .success) { [typed] in
      let terminal = try TestTerminal()
      terminal.answer(typed, to: "Passphrase: ", echo: false)
      do throws(Failure) {
        _ = try Passphrase.ask()
        terminal.finish(false)
      } catch {
        terminal.finish(error == Failure("the passphrase is empty"))
      }
    }
  }

  @Test("too long a line is refused, not cut")
  func tooLong() async {
    await #expect(processExitsWith: .success) {
      let terminal = try TestTerminal()
      let line = String(repeating: "p", count: Passphrase.maximumBytes + 1) + "\n"
      terminal.answer(line, to: "Passphrase: ", echo: false)
      do throws(Failure) {
        _ = try Passphrase.ask()
        terminal.finish(false)
      } catch {
        terminal.finish(error == Failure("the passphrase is over 1024 bytes"))
      }
    }
  }

  @Test("an interrupt in the middle leaves the terminal as it was")
  func interrupt() async {
    await #expect(processExitsWith: .success) {
      signal(SIGINT, SIG_IGN)
      let terminal = try TestTerminal()
      terminal.interrupt(at: "Passphrase: ")
      do throws(Failure) {
        _ = try Passphrase.ask()
        terminal.finish(false)
      } catch {
        terminal.finish(error == Failure("interrupted while asking"))
      }
    }
  }

  @Test("an interrupt ends a program that does not catch it")
  func interruptEnds() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      let terminal = try TestTerminal()
      terminal.interrupt(at: "Passphrase: ")
      _ = try Passphrase.ask()
    }
  }

  @Test("a plain answer is seen while typed and comes without white space at its ends")
  func answer() async {
    await #expect(processExitsWith: .success) {
      let terminal = try TestTerminal()
      terminal.answer("  Änna Lee \n", to: "Name: ", echo: true)
      terminal.finish(try TerminalPrompt.ask("Name: ") == "Änna Lee")
    }
  }

  @Test("without a terminal the failure says so")
  func noTerminal() async {
    await #expect(processExitsWith: .success) {
      setsid()
      var failures: [Failure] = []
      do throws(Failure) { _ = try Passphrase.ask() } catch { failures.append(error) }
      do throws(Failure) { _ = try TerminalPrompt.ask("Name: ") } catch { failures.append(error) }
      let expected = Failure("there is no terminal to ask on")
      exit(failures == [expected, expected] && !TerminalPrompt.isAvailable ? 0 : 1)
    }
  }
}

/// A pseudo-terminal that is this process's controlling one, with somebody at its keyboard.
final class TestTerminal: Sendable {
  private let keyboard: Int32
  private let line: Int32
  private let answers = Mutex<[(prompt: String, text: String, echo: Bool)]>([])
  private let problems = Mutex<[String]>([])
  private let isFinished = Atomic(false)
  private let typist = DispatchQueue(label: "typist")

  // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>: macros with casts.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  init() throws {
    alarm(30)  // A process that waits for ever would hold the whole run.
    setsid()
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    // What posix_openpt(3) and its like do, which Swift does not see: unlock, ask for the number.
    var number: Int32 = 0
    _ = ioctl(keyboard, Self.setLock, &number)
    _ = ioctl(keyboard, Self.getNumber, &number)
    // Without O_NOCTTY, the first terminal that a session's leader opens is its own.
    line = open("/dev/pts/\(number)", O_RDWR)
    guard keyboard >= 0, line >= 0, TerminalPrompt.isAvailable else {
      throw Failure("no terminal: \(systemMessage(errno))")
    }
  }

  /// Types `text` once `prompt` stands there; checks the echo at that moment.
  func answer(_ text: String, to prompt: String, echo: Bool) {
    typist.async { [self] in
      var seen = ""
      while !seen.hasSuffix(prompt) {
        var byte: UInt8 = 0
        guard read(keyboard, &byte, 1) == 1 else { return }
        seen.unicodeScalars.append(Unicode.Scalar(byte))
      }
      if isEchoing != echo { problems.withLock { $0.append("echo is \(!echo) at \(prompt)") } }
      if seen.contains("secret") { problems.withLock { $0.append("the secret was shown") } }
      try? TextSink.descriptor(keyboard).write(text)
    }
  }

  /// Sends SIGINT to the thread that asks once `prompt` stands there.
  ///
  /// Not `^C` typed: in this process a thread of Dispatch's takes such signals, where a program that
  /// asks before its event loop has one thread only. Again and again, for the first may come just
  /// before the thread waits.
  func interrupt(at prompt: String) {
    var interrupts = sigset_t()
    sigemptyset(&interrupts)
    sigaddset(&interrupts, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &interrupts, nil)
    let asking = pthread_self()
    answer("half", to: prompt, echo: false)
    typist.async { [self] in
      while !isFinished.load(ordering: .acquiring) {
        pthread_kill(asking, SIGINT)
        usleep(1000)
      }
    }
  }

  private var isEchoing: Bool {
    var settings = termios()
    tcgetattr(line, &settings)
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Ends the process: with success when all was right and the echo is on again.
  func finish(_ isRight: Bool) -> Never {
    isFinished.store(true, ordering: .releasing)
    typist.sync {}
    exit(isRight && isEchoing && problems.withLock(\.isEmpty) ? 0 : 1)
  }
}
