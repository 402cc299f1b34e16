internal import CUTF8Proc

/// Tells whether a name could be taken for another's, or for an AirLink number.
///
/// After UTS #39's skeletons, with a short table: compatibility forms (fullwidth, bold, circled)
/// are undone and marks taken away by utf8proc; look-alike letters of Latin, Greek, Cyrillic and
/// Armenian, and digits that look like letters, become one. It says "looks like" too often rather
/// than too rarely: it is for a warning, never for a refusal.
public enum NameLikeness {
  /// Names on the air have at most 64 bytes; the cost stays bounded for any text.
  static let maximumScalars = 256

  /// What is left of a name when everything that looks alike is made equal.
  ///
  /// Only good for comparing with another skeleton.
  public static func skeleton(_ name: some StringProtocol) -> String {
    var letters = String.UnicodeScalarView()
    for scalar in plainScalars(name) {
      if isSeparator(scalar) { continue }
      if let digit = scalar.properties.numericType == .decimal ? digit(scalar) : nil {
        letters.append(contentsOf: Confusables.folded(digit))
      } else {
        letters.append(contentsOf: Confusables.folded(scalar))
      }
    }
    return Confusables.joined(String(letters))
  }

  /// Whether a reader could take one name for the other: the same name counts too.
  public static func areAlike(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    let skeleton = skeleton(one)
    return !skeleton.isEmpty && skeleton == self.skeleton(other)
  }

  /// Whether a name looks like a number such as `7M2K-Q9XD`.
  ///
  /// Many names are eight letters of the alphabet ("Margaret"), so eight alone do not count: there
  /// is a digit before the end, or two groups of four with a digit, no small letter or no vowel.
  public static func looksLikeNumber(_ name: some StringProtocol) -> Bool {
    let scalars = trimmed(plainScalars(name))
    let places = scalars.indices.filter { isSeparator(scalars[$0]) }
    let digits = scalars.filter { !isSeparator($0) }.compactMap(crockford)
    guard digits.count == digitsInNumber, digits.count + places.count == scalars.count else {
      return false
    }
    let isDigit = digits.map { ("0"..."9").contains($0) }
    if places == [digitsInNumber / 2] {
      let hasVowel = digits.contains { "AEIO".unicodeScalars.contains($0) }
      return isDigit.contains(true) || !hasVowel
        || !scalars.contains { $0.properties.isLowercase }
    }
    // "Thomas42" is a name; digits among the letters are none.
    return isDigit.drop { !$0 }.contains(false) || !isDigit.contains(false)
  }

  private static let digitsInNumber = 8

  /// The digit a character could be read as in a number, in capitals.
  private static func crockford(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if scalar.properties.numericType == .decimal { return digit(scalar) }
    let letter = Confusables.letter(scalar)
    guard letter.value < 0x7F else { return nil }
    let upper = letter.properties.uppercaseMapping.unicodeScalars.first ?? letter
    return ("A"..."Z").contains(upper) && upper != "U" ? upper : nil
  }

  private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    scalar.properties.numericValue.flatMap { UInt8(exactly: $0) }
      .flatMap { $0 < 10 ? Unicode.Scalar(UInt8(ascii: "0") + $0) : nil }
  }

  private static func trimmed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    Array(scalars.drop(while: isSeparator).reversed().drop(while: isSeparator).reversed())
  }

  /// White space and dashes of all kinds, and what else only keeps letters apart.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .dashPunctuation, .connectorPunctuation, .control, .lineSeparator,
      .paragraphSeparator:
      return true
    default: return ".'\u{2019}\u{B7}\u{2212}\u{2800}".unicodeScalars.contains(scalar)
    }
  }

  /// The name without compatibility forms, marks and characters that do not show.
  private static func plainScalars(_ name: some StringProtocol) -> [Unicode.Scalar] {
    // Letters first: undoing the compatibility form of a lunate sigma, a "c", makes it an "s".
    let letters = name.unicodeScalars.prefix(maximumScalars).map(Confusables.letter)
    let bytes = Array(String(String.UnicodeScalarView(letters)).utf8)
    var result: UnsafeMutablePointer<UInt8>?
    let options =
      UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
      | UTF8PROC_STRIPMARK.rawValue | UTF8PROC_IGNORE.rawValue
    let count = bytes.withUnsafeBufferPointer {
      utf8proc_map($0.baseAddress, $0.count, &result, utf8proc_option_t(rawValue: options))
    }
    guard let result, count >= 0 else { return letters }
    defer { free(result) }
    return Array(
      String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
        .unicodeScalars)
  }
}
