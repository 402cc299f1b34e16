import CommandLine
import Testing

@Suite struct NameLikenessTests {
  @Test(
    "names that a reader could take for one another are alike",
    arguments: [
      ("Anna", "anna"), ("Anna", "Аnnа"), ("Anna", "Ａｎｎａ"), ("Anna", "Änna"),
      ("Anna", "A\u{301}n\u{200B}na"),
      ("Anna", "An na"), ("Anna", "𝐀𝐧𝐧𝐚"), ("Anna", "Ⓐⓝⓝⓐ"), ("Anna Lee", "Anna-Lee"),
      ("Bob", "B0b"),
      ("Bob", "Воb"), ("Bill", "BiII"), ("Bill", "Bi11"), ("Bill", "Вӏӏl"), ("Romeo", "Rorneo"),
      ("Will", "VVill"),
      ("Oskar", "0skar"), ("Oskar", "Øskar"), ("Νικος", "Nikos"), ("Lukasz", "Łukasz"),
      ("Isis", "ısıs"),
      ("Cecil", "\u{3F9}e\u{3F2}il"), ("Ivo", "lvо"), ("Anna", "\u{202E}Anna"), ("same", "same"),
      ("Иван", "иван"),
    ])
  func alike(one: String, other: String) {
    #expect(NameLikeness.areAlike(one, other))
    #expect(NameLikeness.areAlike(other, one))
  }

  @Test(
    "names that differ to the eye are not alike",
    arguments: [
      ("Anna", "Hanna"), ("Anna", "Anne"), ("Tom", "T\u{665}m"), ("Иван", "Петр"), ("日本", "中国"),
      ("", ""),
      ("\u{200B}", "\u{200B}"),
      ("👍", "👎"), ("Bob", "Rob"), ("Jan", "Ian"),
    ])
  func different(one: String, other: String) {
    #expect(!NameLikeness.areAlike(one, other))
  }

  @Test(
    "what could be read as a number looks like one",
    arguments: [
      "7M2K-Q9XD", "7m2k q9xd", "7M2KQ9XD", " 7M2K\u{2011}Q9XD ", "７Ｍ２Ｋ－Ｑ９ＸＤ", "7М2К-Q9ХD",
      "ABCD-EFGH",
      "KHQM-XWZD", "khqm-xwzd", "khqm xwzd", "OIL1-OIL0", "0000-0000", "12345678", "١٢٣٤-٥٦٧٨",
      "7M2K\u{200B}-Q9XD", "7M2K_Q9XD", "7M-2KQ9XD", "7M2K--Q9XD",
    ])
  func numbers(name: String) {
    #expect(NameLikeness.looksLikeNumber(name))
  }

  @Test(
    "ordinary names do not look like numbers",
    arguments: [
      "Margaret", "Mary-Jane", "Anna Kate", "Thomas42", "Jonathan", "R2D2", "", "    -   ",
      "7M2K-Q9XU", "7M2K-Q9X",
      "7M2K-Q9XDE", "Anna 7M2K-Q9XD", "日本-中国", "Anna",
    ])
  func ordinary(name: String) {
    #expect(!NameLikeness.looksLikeNumber(name))
  }

  @Test("any text has a skeleton that is its own skeleton, whatever its length")
  func anyText() {
    var random = TestRandom()
    for round in 0..<500 {
      let text = String(
        String.UnicodeScalarView((0..<random.below(40)).map { _ in random.scalar() }))
      _ = NameLikeness.looksLikeNumber(text)
      _ = NameLikeness.skeleton(text)
      #expect(NameLikeness.areAlike(text, text) == !NameLikeness.skeleton(text).isEmpty, "\(round)")
    }
    #expect(NameLikeness.skeleton(String(repeating: "\u{FDFA}", count: 100_000)).count < 10_000)
  }
}
