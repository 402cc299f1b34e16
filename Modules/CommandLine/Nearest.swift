/// Finds what was probably meant by a word that is not known.
public enum Nearest {
  /// Words longer than this are nobody's typing error, and comparing costs the product of lengths.
  static let longestWord = 64

  /// The candidate nearest to `word`; none where nothing is near.
  ///
  /// Near is: begins with the word, or at most a third of its letters (at least one) differ.
  /// Of two equally near the first wins, so the order of the declarations decides.
  public static func word(to word: String, among candidates: [String]) -> String? {
    let given = Array(word.lowercased().unicodeScalars)
    guard !given.isEmpty, given.count <= longestWord else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let letters = Array(candidate.lowercased().unicodeScalars)
      if given.count > 1, letters.starts(with: given) { return candidate }
      let distance = distance(given, letters)
      guard distance <= max(1, min(given.count, letters.count) / 3), distance < letters.count
      else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Letters put in, left out, changed or swapped with their neighbour: the optimal string
  /// alignment distance (Damerau 1964, without touching a pair twice).
  static func distance<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
    var twoBack: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, twoBack[j - 1] + 1) }
        row.append(cost)
      }
      (twoBack, previous) = (previous, row)
    }
    return previous[b.count]
  }
}
