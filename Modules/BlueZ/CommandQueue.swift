/// Commands of one controller, each begun when the one before is done.
@MainActor
final class CommandQueue {
  typealias Command = @MainActor (_ done: @escaping @MainActor () -> Void) -> Void

  /// Of more nothing good would come: the policy gives a handful.
  static let maximumWaiting = 64

  private var waiting: [Command] = []
  private var isBusy = false
  private var isClosed = false

  /// Every command calls `done` once, now or later.
  func add(_ command: @escaping Command) {
    guard !isClosed, waiting.count < Self.maximumWaiting else { return }
    waiting.append(command)
    if !isBusy { next() }
  }

  /// Begins no more.
  func close() {
    isClosed = true
    waiting = []
  }

  private func next() {
    guard !isClosed, !waiting.isEmpty else { return }
    isBusy = true
    let command = waiting.removeFirst()
    var isDone = false
    command { [weak self] in
      guard !isDone else { return }
      isDone = true
      self?.isBusy = false
      self?.next()
    }
  }
}
