internal import CTerminal
internal import Chat
internal import EventLoop
internal import Glibc

extension TerminalFront {
  func listenForSignals() {
    on(SIGWINCH) { $0.resize() }
    on(SIGCONT) { $0.resume() }
    on(SIGTSTP) { $0.suspend() }
  }

  private func on(_ number: Int32, _ act: @escaping @MainActor (TerminalFront) -> Void) {
    signals.append(SignalInlet.shared.on(number) { [weak self] in if let self { act(self) } })
  }

  /// Whether the terminal is ours to read and to set, and not the shell's or another program's.
  ///
  /// A terminal that does not control us (a test's) has no foreground to be in.
  var isInForeground: Bool {
    let group = tcgetpgrp(input)
    return group < 0 || group == getpgrp()
  }

  /// ^Z: the terminal is the shell's until it says go on.
  func suspend() {
    if isSuspended { return }
    if isInForeground {
      outlet.write(screen.erase() + Self.farewell)
      _ = outlet.drain(milliseconds: 200)
      editor?.setRaw(false)
      airlink_terminal_set_found_mode()
    }
    leaveToOthers()
    raise(SIGSTOP)
  }

  /// Neither reads nor draws: in the background both would be mistaken for the shell's.
  func leaveToOthers() {
    isSuspended = true
    screen.forget()
    inlet?.setPaused(true)
    watchForeground()
  }

  /// A shell that brings a running job to the front sends it no signal.
  private func watchForeground() {
    stopWatchingForeground()
    foregroundWatch = EventLoop.main.after(.milliseconds(500)) { [weak self] in
      guard let self else { return }
      if self.isInForeground { self.resume() } else { self.watchForeground() }
    }
  }

  func stopWatchingForeground() {
    if let foregroundWatch { EventLoop.main.cancel(foregroundWatch) }
    foregroundWatch = nil
  }

  /// We run again: in front, unless the shell left us in the background.
  func resume() {
    if isOver { return }
    guard isInForeground else { return leaveToOthers() }
    // Whoever stopped us without asking (SIGSTOP) left the mode as it was; the shell did not.
    editor?.setRaw(false)
    editor?.setRaw(true)
    isSuspended = false
    stopWatchingForeground()
    inlet?.setPaused(false)
    size = TerminalSize(of: output)
    screen.forget()
    outlet.write("\r\u{1B}[K" + Self.greeting)
    draw()
    onFocus()
  }
}
