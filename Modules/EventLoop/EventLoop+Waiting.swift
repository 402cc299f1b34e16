extension EventLoop {
  /// Takes turns until `isDone`, or until the pause is over: for what has to be known before a
  /// program goes on, while nothing else of it runs.
  ///
  /// - Returns: whether it was done by then.
  public func wait(atMost pause: Duration, until isDone: () -> Bool) -> Bool {
    let host = hosting
    hosting = .never
    defer { hosting = host }
    var isOver = false
    let timer = after(pause) { isOver = true }
    defer { cancel(timer) }
    while !isDone() {
      if isOver { return false }
      turn(mayWait: true)
    }
    return true
  }
}
