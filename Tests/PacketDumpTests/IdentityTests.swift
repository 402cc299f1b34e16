import CommandLine
import Foundation
import Identity
import Seal
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: what was sealed to you") struct SealedTests {
  private let bench: Bench
  private let home: String
  private let own = Identity.generate()
  private let other = Identity.generate()

  init() throws {
    bench = try Bench()
    home = bench.path + "/home"
    try IdentityFile.create(
      in: Home(path: home, ifMissing: .create), OpenedIdentity(identity: own, name: "Ada"),
      with: KeyFile())
  }

  private func sealed(
    _ content: MessageContent, message: UInt8 = 1, packet: UInt8 = 1, hopLimit: UInt8 = 7,
    from sender: Identity? = nil, to recipient: Identity? = nil
  ) throws -> Packet {
    let (sender, recipient) = (sender ?? other, recipient ?? own)
    let messageID = MessageID(Sample.packetID(message))
    let randomness = (0..<MessageSeal.randomnessLength).map { _ in UInt8.random(in: 0...255) }
    let payload = try MessageSeal.seal(
      content, messageID: messageID, from: sender, to: recipient.publicKeys,
      packetID: Sample.packetID(packet), time: Sample.time, randomness: randomness.span.bytes)
    return Packet(
      kind: .sealed, hopLimit: hopLimit, time: Sample.time, id: Sample.packetID(packet),
      destination: recipient.fingerprint, payload: payload)
  }

  private var number: String { "\(other.fingerprint.number)" }
  private var words: [String] { ["--identity", home] }

  private func run(_ packets: [Packet], _ more: String...) throws -> Bench.Result {
    let records = packets.enumerated().map { place, packet in
      (link: UInt32(place % 2), direction: UInt32(1), packet: packet)
    }
    let file = try bench.write(Sample.capture(["wifi-1", "wifi-2"], records))
    return bench.run(words: words + more + [file])
  }

  @Test("texts, receipts and signals are shown with who says them, on lines and as fields")
  func contents() throws {
    let nonce = CallNonce(random: 77)
    let key = other.publicKeys.agreement
    let packets = [
      try sealed(.text("good \u{1B}[2J day")), try sealed(.receipt(MessageID(Sample.packetID(9)))),
      try sealed(.callSignal(.invite(nonce, key))), try sealed(.callSignal(.end(nonce))),
    ]
    let lines = try run(packets).lines
    #expect(lines.count == 4)
    #expect(lines[0].contains(" from \(number) \"good \u{FFFD}[2J day\""))
    #expect(
      lines[1].contains(" from \(number) receipt for \(String(repeating: "09", count: 16))"))
    #expect(lines[2].contains(" from \(number) call invite \(nonce)"))
    #expect(lines[3].contains(" from \(number) call end \(nonce)"))
    let objects = try run(packets, "--json").objects()
    #expect(objects[0]["text"] as? String == "good \u{1B}[2J day")
    #expect(
      objects.map { $0["content"] as? String } == ["text", "receipt"]
        + Array(repeating: "call-signal", count: 2))
    #expect(
      objects.allSatisfy {
        $0["from"] as? String == number && $0["signatureHolds"] as? Bool == true
      })
    #expect(objects[1]["receiptFor"] as? String == String(repeating: "09", count: 16))
    #expect(objects[2]["signal"] as? String == "invite")
    #expect(objects[2]["nonce"] as? String == "\(nonce)")
    #expect(objects[2]["ephemeralKey"] as? String == key.hex)
    let fields = try run(packets, "-v").output
    for word in ["message id", "content type", "text", "receipt for", "nonce", "ephemeral key"] {
      #expect(fields.contains("  \(word) "), "\(word)")
    }
  }

  @Test("what is for others stays closed, and what does not open says why")
  func closed() throws {
    let third = Identity.generate()
    let foreign = try sealed(.text("secret"), from: own, to: third)
    let good = try sealed(.text("x"))
    let relabelled = Packet(
      kind: .sealed, hopLimit: 1, time: Sample.time, id: Sample.packetID(8),
      destination: own.fingerprint, payload: Array(good.payload))
    let result = try run([foreign, relabelled], "--json").objects()
    #expect(result[0]["text"] == nil && result[0]["notOpened"] == nil)
    #expect((result[1]["notOpened"] as? String)?.contains("does not open") == true)
    let lines = try run([foreign, relabelled]).lines
    #expect(!lines[0].contains("from") && lines[1].contains("; does not open"))
  }

  @Test("a filter reaches what was opened, and says so where nothing can be")
  func filtered() throws {
    let packets = [
      try sealed(.text("see you tomorrow"), message: 0xAB), try sealed(.text("no"), packet: 2),
      try sealed(.receipt(MessageID(Sample.packetID(9))), packet: 3),
      try sealed(.callSignal(.end(CallNonce(random: 7))), packet: 4),
      try sealed(.text("see you tomorrow"), packet: 5, from: own, to: other),
    ]
    let cases: [(String, [UInt8])] = [
      ("text ~ tomorrow", [1]), ("text == no", [2]), ("text != no", [1]), ("text ~ \"e y\"", [1]),
      ("content == receipt", [3]), ("content == text", [1, 2]), ("signal == end", [4]),
      ("message == abAB", [1]), ("opened", [1, 2, 3, 4]), ("not opened", [5]),
      ("from == \(number) and not content == text", [3, 4]), ("from != \(number)", []),
    ]
    for (filter, ids) in cases {
      let shown = try run(packets, "--json", "--filter", filter).objects()
      #expect(shown.map { $0["id"] as? String } == ids.map { Sample.packetID($0).hex }, "\(filter)")
    }
    let file = try bench.write(packets[0].encoded)
    let closed = bench.run(words: ["--filter", "kind == sealed and not text ~ x", file])
    #expect(closed.code == .usage && closed.errors.contains("asks for text"))
    #expect(closed.errors.contains("--identity DIR"))
    #expect(bench.run(words: ["--filter", "from == \(number)", file]).code == .done)
  }

  @Test("--follow shows a message's way: copies, packets sent again, its receipt")
  func follow() throws {
    let text = MessageContent.text("on my way")
    let packets = [
      try sealed(text, message: 1, packet: 1), try sealed(.text("else"), message: 2, packet: 2),
      try sealed(text, message: 1, packet: 1, hopLimit: 5),
      try sealed(text, message: 1, packet: 3, hopLimit: 6),
      try sealed(.receipt(MessageID(Sample.packetID(1))), message: 4, packet: 4),
    ]
    let id = String(repeating: "01", count: 4)
    let lines = try run(packets, "--follow", id).lines
    #expect(lines.count == 5)
    #expect(
      lines.last
        == "seen 3 times on wifi-1, wifi-2, hop 7 down to 5, within 4.500 s, receipt after 6.000 s")
    let summary = try #require(try run(packets, "--follow", id, "--json").objects().last)
    #expect(summary["event"] as? String == "follow")
    #expect(summary["packets"] as? Int == 3)
    #expect(summary["receiptMilliseconds"] as? Int == 6_000)
    #expect(summary["lowestHopLimit"] as? Int == 5)
    // Without the keys the id alone tells.
    let file = try bench.write(
      Sample.capture(["a"], packets.map { (link: 0, direction: 1, packet: $0) }))
    #expect(bench.run(words: ["--follow", id, file]).lines.count == 3)
    #expect(
      bench.run(words: ["--follow", "ffffffff", file]).lines
        == ["nothing of ffffffff is in the capture"])
  }

  @Test("an identity that cannot be opened ends it before anything is read")
  func unlock() throws {
    let packets = try bench.write(sealed(.text("x")).encoded)
    let missing = bench.run(words: ["--identity", bench.path + "/none", packets])
    #expect(missing.code == .failed && missing.output.isEmpty)
    let other = bench.run(words: ["--identity", home, "--passphrase-file", packets, packets])
    #expect(other.code == .failed && other.output.isEmpty)
    #expect(other.errors.contains("--key-file") || other.errors.contains("key file"))
    let alone = bench.run(words: ["--key-file", packets])
    #expect(alone.code == .usage)
  }
}

@Suite("packetdump: live") struct LiveTests {
  @Test("an interface that is not there is named, with those that are")
  func missing() throws {
    let result = try Bench().run(words: ["-i", "none-such0"])
    #expect(result.code == .failed)
    #expect(result.errors.hasPrefix("airlink-packetdump: error: 'none-such0': "))
    #expect(result.errors.contains("no such interface") || result.errors.contains("CAP_NET_RAW"))
    #expect(result.errors.contains("hint: "))
  }
}
