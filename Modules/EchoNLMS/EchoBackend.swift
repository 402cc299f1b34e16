/// The cancellers there are; chosen at run time.
public enum EchoBackend: String, CaseIterable, Sendable {
  /// AirLink's own: the owner's rules, made excellent.
  case nlms
  /// AirLink's algorithm in its plainest form, which the others are measured against.
  case nlmsPlain = "nlms-plain"
  /// speexdsp's canceller.
  case speex

  /// Makes one; with a residual suppressor behind it where the backend has one and that is wanted.
  public func makeCanceller(withSuppressor: Bool = true) -> any EchoCanceller {
    switch self {
    case .nlms: NLMSCanceller(withSuppressor: withSuppressor)
    case .nlmsPlain: PlainNLMS()
    case .speex: SpeexCanceller(withSuppressor: withSuppressor)
    }
  }
}
