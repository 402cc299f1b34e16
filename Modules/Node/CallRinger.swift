public import Wire

/// Where a call rings beside the terminal, as on the desktop.
@MainActor
public protocol CallRinger: AnyObject {
  /// The user answers, or else declines, the call of that nonce.
  var chosen: (_ nonce: CallNonce, _ answers: Bool) -> Void { get set }
  /// Why it does not ring there, in a sentence without full stop.
  var trouble: (String) -> Void { get set }
  /// A call rings; both texts are plain and harmless.
  func ring(_ nonce: CallNonce, summary: String, body: String)
  /// It rings no more.
  func stop()
  /// The node ends.
  func end()
}
