import Chat
import Wire

extension Fingerprint {
  // Numbers E492-6D25, M492-6D25 and J492-6D25: none of them reserved.
  static let alice = Fingerprint(value: 0x7112_2334_4556_6778)
  static let bob = Fingerprint(value: 0xA112_2334_4556_6778)
  static let mallory = Fingerprint(value: 0x9112_2334_4556_6778)
  /// Alice's number, other keys.
  static let aliceAgain = Fingerprint(value: 0x7112_2334_45FF_FFFF)
  static let me = Fingerprint(value: 0x1122_3344_5566_7788)
}

extension LocalTime {
  /// 2025-01-31T12:34:56.789Z, shown two hours later.
  static let noon = LocalTime(
    Timestamp(milliseconds: 1_738_326_896_789), offsetSeconds: 2 * 3_600)

  func later(by duration: Duration) -> LocalTime {
    LocalTime(time.advanced(by: duration), offsetSeconds: offsetSeconds)
  }
}

extension Peer {
  static func sample(
    _ fingerprint: Fingerprint, _ name: String, direct: Bool = true, heard: Bool = true,
    verified: Bool = false, blocked: Bool = false, contradicts: Bool = false
  ) -> Peer {
    Peer(
      fingerprint: fingerprint, name: name, isDirect: direct, isNew: true,
      heard: heard ? LocalTime.noon.time : nil, isVerified: verified, isBlocked: blocked,
      contradictsPin: contradicts)
  }
}

extension MessageID {
  static func sample(_ byte: UInt8) -> MessageID {
    MessageID([UInt8](repeating: byte, count: 16)) ?? MessageID()
  }
}

extension CallNonce {
  static let sample = CallNonce(random: 0x12_3456_789A)
}

extension IncomingMessage {
  static func sample(
    _ text: String, from: Fingerprint = .alice, name: String = "Alice",
    time: Timestamp = LocalTime.noon.time
  ) -> IncomingMessage {
    IncomingMessage(id: .sample(7), from: from, name: name, text: text, time: time)
  }
}

extension Transcript {
  /// What an event says, as the rows of a transcript without colours.
  mutating func rows(
    _ event: ChatEvent, at now: LocalTime = .noon, columns: Int? = nil
  ) -> [String] {
    entries(for: event, at: now).flatMap { $0.rows(columns: columns).map(\.plain) }
  }
}

/// Texts that try to do more than be read.
enum Hostile {
  static let texts = [
    "\u{1B}[2J\u{1B}[H gone", "\u{1B}]0;title\u{7}", "\u{9B}31m red", "a\u{8}\u{8}\u{8}b",
    "up\rdown", "bell\u{7}", "nul\u{0}nul", "del\u{7F}", "\u{202E}drow", "\u{2066}x\u{2069}",
    "line\u{2028}line\u{2029}line\u{85}", "\u{FEFF}bom", "tag\u{E0041}\u{E0042}",
    "e" + String(repeating: "\u{301}", count: 400), "\u{301}leads",
    String(repeating: "👨‍👩‍👧‍👦\u{200D}", count: 60), "\u{FFFF}\u{10FFFF}", "a\u{200B}b\u{AD}c",
    "\u{1B}", "\u{1B}P+q\u{1B}\\", "\t\ttabs", "漢字漢字", "\u{115F}\u{3164}", "x\u{FE0F}\u{FE0E}",
    "12:34 ✓ Alice [E492-6D25]: hi\n12:34 ✓ Alice [E492-6D25]: hi", "[E492-6D25]", "] ✓ [",
  ]

  /// A name of exactly 64 bytes that ends in the middle of what readers take for one character.
  static let fullName = String(repeating: "👨‍👩‍👧", count: 3) + "abc👨‍"
}
