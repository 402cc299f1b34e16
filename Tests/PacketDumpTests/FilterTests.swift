import Capture
import CommandLine
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: filters") struct FilterTests {
  private static func parse(_ text: String) throws -> Filter {
    var parser = try FilterParser(text)
    return try parser.whole()
  }

  private static let facts = PacketFacts(
    crossing: Crossing(
      record: 7, time: CaptureTime(nanoseconds: 1_750_000_000_223_000_000), link: 0,
      direction: .outbound),
    header: Sample.packet(id: 0xAB, hopLimit: 3).header, refusal: nil,
    sighting: CopyTable.Sighting(
      copy: 2, firstLink: 1, firstHopLimit: 5))

  @Test(
    "what holds passes, and its opposite does not",
    arguments: [
      "kind == sealed", "kind == 2", "kind != hello", "id == ABab", "id != 00",
      "to == 0410-6105", "to == 041o6i05", "to == 0102030405060708", "to != everyone",
      "link == wifi-1", "link == \"wifi-1\"", "link ~ ifi", "link != ble-1", "dir == out",
      "hop == 3", "hop<4", "hop <= 3", "hop > 2", "hop>=3", "hop != 4", "size == 348",
      "payload == 304", "record == 7", "flags == 0", "version == 1", "age == 100", "age > -5",
      "copies == 2", "copy", "relayed", "not refused", "not not copy",
      "kind == hello or copy", "kind == hello or kind == voice or hop == 3",
      "copy and (kind == hello or hop == 3)", "not (kind == hello and copy)",
      "kind == hello and hop == 9 or copy",
    ])
  func holds(text: String) throws {
    #expect(try Self.parse(text).passes(Self.facts, link: "wifi-1"))
    #expect(try !Self.parse("not (\(text))").passes(Self.facts, link: "wifi-1"))
  }

  @Test("and binds tighter than or")
  func precedence() throws {
    #expect(try Self.parse("copy or copy and refused") == .any(.isCopy, .all(.isCopy, .isRefused)))
  }

  @Test("an age that is not known passes no comparison", arguments: ["age < 5", "age >= 5"])
  func unknownAge(text: String) throws {
    let facts = PacketFacts(
      crossing: Crossing(record: 1, time: nil, link: 0, direction: nil),
      header: Sample.packet().header, refusal: nil, sighting: Self.facts.sighting)
    #expect(try !Self.parse(text).passes(facts, link: ""))
    #expect(try !Self.parse("dir == in").passes(facts, link: ""))
  }

  @Test(
    "what is wrong is named",
    arguments: [
      ("", "wants an expression"), ("kind", "behind kind"), ("kind ==", "a value"),
      ("kind == cat", "hello, sealed, voice"), ("hop == x", "whole number"),
      ("hop ~ 3", "~ is for link"), ("kid == hello", "did you mean kind?"),
      ("colour == 3", "knows no field"), ("(copy", "does not close"), ("copy)", "should end"),
      ("copy copy", "join with and, or"), ("not", "too early"), ("== 3", "where a field"),
      ("to == everybody", "a number, a fingerprint"), ("id == xyz", "hexadecimal"),
      ("id < 3", "== and != alone"), ("dir == up", "in or out"), ("link == \"x", "its second"),
      ("kind = hello", "out of place"), ("hop == 99999999999999999999", "whole number"),
    ])
  func refusals(text: String, part: String) {
    #expect {
      try Self.parse(text)
    } throws: {
      ($0 as? Refusal)?.reason.contains(part) ?? false
    }
  }

  @Test("depth and length are bounded")
  func bounds() {
    let deep = String(repeating: "(", count: 100_000)
    #expect(throws: Refusal("is too long")) { try Self.parse(deep) }
    let nested = String(repeating: "not ", count: 200) + "copy"
    #expect(throws: Refusal("is nested too deep")) { try Self.parse(nested) }
  }
}
