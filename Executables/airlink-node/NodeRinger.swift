internal import Desktop
internal import Node
internal import Wire

/// The desktop's notification of a call, as the node wants it.
@MainActor
final class NodeRinger: CallRinger {
  var chosen: (CallNonce, Bool) -> Void = { _, _ in }
  var trouble: (String) -> Void = { _ in }
  private let notification = CallNotification()
  private var nonce: CallNonce?

  init() {
    notification.chosen = { [weak self] choice in
      guard let self, let nonce else { return }
      chosen(nonce, choice == .answer)
    }
    notification.trouble = { [weak self] in self?.trouble($0) }
  }

  func ring(_ nonce: CallNonce, summary: String, body: String) {
    self.nonce = nonce
    notification.ring(CallNotice(summary: summary, body: body))
  }

  func stop() {
    nonce = nil
    notification.stop()
  }

  func end() {
    nonce = nil
    notification.end()
  }
}
