/// Why a capture cannot be read on.
public enum CaptureError: Error, Hashable, Sendable {
  /// The system refused; in its own words.
  case system(String)
  /// The system refused, and there is something to do about it.
  case refused(String, hint: String)
  /// The bytes make no sense from `offset` on, counted from the start of the file.
  case damaged(offset: UInt64, reason: String)
  /// The file ends inside a record or block that began at `offset`.
  case cut(offset: UInt64, reason: String)

  /// One line, lower case, no full stop; behind a file's name.
  public var sentence: String {
    switch self {
    case .system(let words), .refused(let words, _): words
    case .damaged(let offset, let reason): "damaged at byte \(offset): \(reason)"
    case .cut(let offset, let reason): "cut at byte \(offset): \(reason)"
    }
  }

  /// What to do next, where something can be done.
  public var hint: String? { if case .refused(_, let hint) = self { hint } else { nil } }
}
