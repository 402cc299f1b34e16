/// Letters that look like others: a choice from UTS #39's confusables, for the alphabets that names
/// in a Latin-reading crowd are forged with, and what fonts of terminals make alike.
enum Confusables {
  /// Each ASCII letter with what looks like it once marks and compatibility forms are gone.
  private static let lookAlikes: [(letter: Unicode.Scalar, others: String)] = [
    ("a", "\u{430}\u{410}\u{3B1}\u{391}\u{251}\u{1D00}\u{4D9}@"),
    ("b", "\u{412}\u{432}\u{392}\u{3B2}\u{42C}\u{44C}\u{DF}\u{299}\u{184}\u{185}"),
    ("c", "\u{421}\u{441}\u{3F9}\u{3F2}\u{1D04}"),
    ("d", "\u{500}\u{501}\u{1D05}\u{111}\u{110}\u{F0}\u{D0}"),
    ("e", "\u{415}\u{435}\u{395}\u{3B5}\u{454}\u{404}\u{4BD}\u{1D07}\u{25B}\u{20AC}"),
    ("f", "\u{192}\u{191}\u{3DC}\u{3DD}\u{584}"),
    ("g", "\u{261}\u{50C}\u{50D}\u{262}\u{581}"),
    ("h", "\u{41D}\u{43D}\u{397}\u{4BA}\u{4BB}\u{570}\u{29C}\u{127}\u{126}"),
    ("i", "\u{406}\u{456}\u{399}\u{3B9}\u{131}\u{269}\u{26A}"),
    ("j", "\u{408}\u{458}\u{3F3}\u{29D}\u{1D0A}"),
    ("k", "\u{41A}\u{43A}\u{39A}\u{3BA}\u{1D0B}\u{49A}\u{49B}\u{138}"),
    ("l", "\u{4C0}\u{4CF}\u{142}\u{141}\u{29F}\u{1C0}\u{2223}|!"),
    ("m", "\u{41C}\u{43C}\u{39C}\u{1D0D}"),
    ("n", "\u{39D}\u{3B7}\u{43F}\u{578}\u{274}\u{14B}"),
    (
      "o",
      "\u{41E}\u{43E}\u{39F}\u{3BF}\u{3C3}\u{555}\u{585}\u{1D0F}\u{F8}\u{D8}\u{4E8}\u{4E9}\u{3B8}"
    ),
    ("p", "\u{420}\u{440}\u{3A1}\u{3C1}\u{1D18}\u{FE}\u{DE}"),
    ("q", "\u{51A}\u{51B}\u{563}\u{24B}"),
    ("r", "\u{433}\u{1D26}\u{280}\u{27C}"),
    ("s", "\u{405}\u{455}\u{A731}\u{282}\u{54F}\u{3C2}$"),
    ("t", "\u{422}\u{442}\u{3A4}\u{3C4}\u{1D1B}\u{167}\u{166}"),
    ("u", "\u{3C5}\u{57D}\u{1D1C}\u{3BC}\u{28B}"),
    ("v", "\u{3BD}\u{474}\u{475}\u{1D20}"),
    ("w", "\u{460}\u{461}\u{51C}\u{51D}\u{3C9}\u{1D21}\u{448}"),
    ("x", "\u{425}\u{445}\u{3A7}\u{3C7}\u{4B2}\u{4B3}\u{D7}"),
    ("y", "\u{423}\u{443}\u{3A5}\u{3B3}\u{4AE}\u{4AF}\u{28F}"),
    ("z", "\u{396}\u{3B6}\u{1D22}"),
    ("3", "\u{417}\u{437}\u{1B7}\u{292}\u{42D}"),
    ("6", "\u{431}"),
  ]

  private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
    var table: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (letter, others) in lookAlikes {
      for other in others.unicodeScalars { table[other] = letter }
    }
    return table
  }()

  /// Digits, and letters that a capital or small form makes alike.
  private static let shapes: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "o", "1": "l", "i": "l", "2": "z", "5": "s", "8": "b",
  ]

  /// The ASCII letter or digit a character looks like, or the character.
  static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar { letters[scalar] ?? scalar }

  /// The character in the form that everything looking like it has, in small letters.
  static func folded(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    let letter = letters[scalar] ?? scalar
    let small = letter.properties.lowercaseMapping.unicodeScalars
    guard small.count == 1, let one = small.first else { return small }
    return String.UnicodeScalarView([shapes[one] ?? letters[one] ?? one])
  }

  /// Pairs of letters that run into one: "rn" for "m".
  static func joined(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch (result.last, scalar) {
      case ("r", "n"): result.replace(last: "m")
      case ("v", "v"): result.replace(last: "w")
      case ("c", "l"): result.replace(last: "d")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension String.UnicodeScalarView {
  fileprivate mutating func replace(last scalar: Unicode.Scalar) {
    removeLast()
    append(scalar)
  }
}
