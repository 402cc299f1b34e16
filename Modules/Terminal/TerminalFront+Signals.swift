internal import CTerminal
internal import Chat
internal import Glibc

extension TerminalFront {
  func listenForSignals() {
    on(SIGWINCH) { $0.resize() }
    on(SIGCONT) { $0.resume() }
    on(SIGTSTP) { $0.suspend() }
    // The terminal is gone, or the connection that it came over.
    on(SIGHUP) { $0.end(.gone) }
  }

  private func on(_ number: Int32, _ act: @escaping @MainActor (TerminalFront) -> Void) {
    signals.append(SignalInlet.shared.on(number) { [weak self] in if let self { act(self) } })
  }

  /// ^Z: the terminal is the shell's until it says go on.
  func suspend() {
    if isSuspended { return }
    outlet.write(screen.erase() + Self.farewell)
    isSuspended = true
    _ = outlet.drain(milliseconds: 200)
    editor?.setRaw(false)
    airlink_terminal_set_found_mode()
    raise(SIGSTOP)
  }

  /// We run again: in front, unless the shell left us in the background.
  func resume() {
    guard !isOver, tcgetpgrp(input) == getpgrp() else { return }
    // Whoever stopped us without asking (SIGSTOP) left the mode as it was; the shell did not.
    editor?.setRaw(false)
    editor?.setRaw(true)
    isSuspended = false
    size = TerminalSize(of: output)
    screen.forget()
    outlet.write("\r\u{1B}[K" + Self.greeting)
    draw()
    onFocus()
  }
}
