import CommandLine
import Router
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: what nodes take no notice of") struct RefusedTests {
  private static let hour: UInt64 = 3_600_000

  private static func sent(_ milliseconds: UInt64) -> Packet {
    Sample.packet(time: Timestamp(milliseconds: milliseconds))
  }

  /// Captured at `Sample.time`, each with what is said of it.
  private static let cases: [(packet: Packet, refused: String?)] = [
    (Sample.packet(), nil),
    (
      hopping(Sample.hello("Ada").packet, 3),
      "a hop limit over its kind's 2"
    ),
    (
      hopping(voice(to: Sample.recipient), 2),
      "a hop limit over its kind's 1"
    ),
    (voice(to: .everyone), "voice to everyone"),
    (helloToOne, "a hello to one person"),
    (sent(Sample.time.milliseconds - 6 * hour), nil),
    (sent(Sample.time.milliseconds - 6 * hour - 1), "too old"),
    (sent(0), "too old"),
    (sent(Sample.time.milliseconds + hour / 4), nil),
    (sent(Sample.time.milliseconds + hour / 4 + 1), "from the future"),
    (sent(.max), "from the future"),
  ]

  private static var helloToOne: Packet {
    let payload = Array(Sample.hello("Ada").packet.encoded.dropFirst(PacketHeader.byteCount))
    return Packet(
      kind: .hello, hopLimit: 2, time: Sample.time, id: Sample.packetID(9),
      destination: Sample.recipient, payload: payload)
  }

  private static func hopping(_ packet: Packet, _ hopLimit: UInt8) -> Packet {
    Packet(copying: packet.view, hopLimit: hopLimit)
  }

  private static func voice(to destination: Fingerprint) -> Packet {
    Sample.packet(.voice, to: destination, count: 80)
  }

  @Test("is said on the line, in JSON, to the filter and in the counts", arguments: cases)
  func refused(packet: Packet, refused: String?) throws {
    let bench = try Bench()
    let capture = Sample.capture(["wifi-1"], [(0, 2, packet)])
    let object = try #require(try bench.run(capture, "--json").objects().first)
    #expect(object["refused"] as? String == refused)
    // Its layout is right, so its fields are shown all the same.
    #expect(object["ciphertextLength"] != nil || object["signature"] != nil)
    let line = try #require(try bench.run(capture).lines.first)
    #expect(refused.map { line.contains(" ; \($0)") } ?? !line.contains(";"))
    #expect(try bench.run(capture, "--filter", "refused").lines.count == (refused == nil ? 0 : 1))
    let counts = try bench.run(capture, "--stats", "--json").objects()
    #expect(counts.first?["refused"] as? Int == (refused == nil ? 0 : 1))
  }

  @Test("the limits are the router's")
  func limits() {
    let limits = Router.Limits()
    #expect(limits.maximumAge == .milliseconds(PacketFacts.maximumAge))
    #expect(limits.maximumLead == .milliseconds(PacketFacts.maximumLead))
  }

  @Test("a name ends where its closing quotation mark is, whatever is in it")
  func quotes() throws {
    let bench = try Bench()
    let result = try bench.run(Sample.hello(#"Ada" ; copy 2\"#).packet.encoded)
    #expect(try #require(result.lines.first).hasSuffix(#" "Ada\" ; copy 2\\""#))
  }

  @Test("a link whose name could be taken for more stands in quotation marks")
  func links() throws {
    let bench = try Bench()
    let result = try bench.run(Sample.capture([#"a > "sealed"#], [(0, 2, Sample.packet())]))
    #expect(try #require(result.lines.first).contains(#""a > \"sealed" >"#))
  }

  @Test("following says whether it looked at everything")
  func follow() throws {
    let bench = try Bench()
    let bytes = Sample.packet().encoded
    let missing = try bench.run(bytes, "--follow", "abcdef01")
    #expect(missing.lines.last == "nothing of abcdef01 is in the capture")
    let filtered = try bench.run(bytes, "--follow", "01010101", "--filter", "kind == voice")
    #expect(filtered.lines.last == "nothing of 01010101 is among what the filter lets pass")
  }

  @Test(
    "a compressed file is named as one",
    arguments: [
      ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD, 4, 0, 0, 0], "zstd"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "xz"), (Array("BZh91AY&".utf8), "bzip2"),
    ] as [([UInt8], String)])
  func compressed(bytes: [UInt8], tool: String) throws {
    let result = try Bench().run(bytes)
    #expect(result.code == .failed && result.lines.isEmpty)
    #expect(result.errors.contains("it is compressed"))
    #expect(result.errors.contains("\(tool) -dc FILE | airlink-packetdump"))
  }
}
