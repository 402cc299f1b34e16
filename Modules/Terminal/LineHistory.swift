/// The lines entered in this run, newest last.
///
/// In memory only: they are messages, and messages are nobody else's to read.
struct LineHistory: Sendable {
  static let capacity = 200

  private var lines: [String] = []
  /// Which line is shown; `lines.count` is the one being typed.
  private var place = 0
  private var draft = ""
  /// What `search` looks for: what stood in the line when the first search began.
  private var needle: String?

  /// Keeps a line that was entered, unless it is the last one again.
  mutating func add(_ line: String) {
    if !line.isEmpty, lines.last != line { lines.append(line) }
    if lines.count > Self.capacity { lines.removeFirst() }
    place = lines.count
    draft = ""
    needle = nil
  }

  /// The nearest older line that contains what is in the line now; again, the one before it.
  mutating func search(for shown: String) -> String? {
    let wanted = needle ?? shown
    if place == lines.count { draft = shown }
    guard let found = lines[..<place].lastIndex(where: { $0.contains(wanted) }) else { return nil }
    needle = wanted
    place = found
    return lines[found]
  }

  /// The next search begins anew: something else was done.
  mutating func endSearch() { needle = nil }

  /// The line before the one shown; nil at the oldest.
  mutating func older(than shown: String) -> String? {
    guard place > 0 else { return nil }
    if place == lines.count { draft = shown }
    place -= 1
    return lines[place]
  }

  /// The line after the one shown, at last the one that was being typed; nil there.
  mutating func newer() -> String? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? draft : lines[place]
  }
}
