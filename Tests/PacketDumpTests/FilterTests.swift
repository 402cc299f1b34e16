import Capture
import CommandLine
import Identity
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: filters") struct FilterTests {
  private static func parse(_ text: String) throws -> Filter {
    var parser = try FilterParser(text)
    return try parser.whole()
  }

  private static let packet = Sample.packet(id: 0xAB, hopLimit: 3)

  private static func facts(_ packet: Packet, at time: Int64? = 100) -> PacketFacts {
    let captured = time.map { (Int64(Sample.time.milliseconds) + $0) * 1_000_000 }
    return PacketFacts(
      crossing: Crossing(
        record: 7, time: captured.map { CaptureTime(nanoseconds: $0) }, link: 0,
        direction: time.map { _ in .outbound }),
      header: packet.header, refusal: nil,
      sighting: CopyTable.Sighting(copy: 2, firstLink: 1, firstHopLimit: 5))
  }

  private static func passes(
    _ text: String, _ packet: Packet = packet, at time: Int64? = 100
  ) throws -> Bool {
    let filter = try parse(text)
    let facts = facts(packet, at: time)
    return filter.passes(
      FilterSubject(facts, packet.view, nil, filter.wants, link: "wifi-1"))
  }

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
    #expect(try Self.passes(text))
    #expect(try !Self.passes("not (\(text))"))
  }

  @Test("and binds tighter than or")
  func precedence() throws {
    #expect(
      try Self.parse("copy or copy and refused")
        == .any(.mark(.copy), .all(.mark(.copy), .mark(.refused))))
  }

  @Test(
    "what is not known passes no comparison",
    arguments: [
      "age < 5", "age >= 5", "dir == in", "dir != in", "sequence > 0", "from != 0410-6105",
      "name != x", "text != x", "content != text", "message != 00", "signal != end", "opened",
    ])
  func unknown(text: String) throws {
    #expect(try !Self.passes(text, at: nil))
    #expect(try Self.passes("not (\(text))", at: nil))
  }

  @Test("who speaks in a hello, its name, and a voice packet's sequence number can be asked for")
  func payloads() throws {
    let (hello, identity) = Sample.hello("Ada of Lyon")
    let number = "\(identity.fingerprint.number)"
    for text in ["from == \(number)", "name == \"Ada of Lyon\"", "name ~ Lyon", "name != Lyon"] {
      #expect(try Self.passes(text, hello), "\(text)")
      #expect(try !Self.passes(text.replacing("Lyon", with: "Rome"), Self.packet), "\(text)")
    }
    #expect(try !Self.passes("from == 0410-6105", hello))
    let voice = Sample.packet(.voice, count: 60)
    #expect(try Self.passes("sequence == 66051", voice))
    #expect(try !Self.passes("sequence == 66051", Self.packet))
  }

  @Test("a frame of the direct road has what a frame has")
  func frames() throws {
    let bytes: [UInt8] = [0, 0, 1, 2] + [UInt8](repeating: 7, count: 76)
    let read = CallFrame(bytes.span.bytes)
    let frame = try #require(read)
    let crossing = Crossing(record: 9, time: nil, link: 0, direction: .inbound)
    let subject = FilterSubject(frame, crossing, link: "10.0.0.1:7-10.0.0.2:7")
    let known = [
      "kind == frame", "kind != voice", "sequence == 258", "size == 80", "record == 9",
      "dir == in", "link ~ 10.0.0.2", "not copy", "not refused", "not opened",
    ]
    for text in known { #expect(try Self.parse(text).passes(subject), "\(text)") }
    let unknown = [
      "kind == voice", "hop < 9", "id != 00", "to != everyone", "age > 0", "copies > 0",
    ]
    for text in unknown { #expect(try !Self.parse(text).passes(subject), "\(text)") }
  }

  @Test(
    "what is wrong is named",
    arguments: [
      ("", "wants an expression"), ("kind", "behind kind"), ("kind ==", "a value"),
      ("kind == cat", "hello, sealed, voice"), ("hop == x", "whole number"),
      ("hop ~ 3", "~ is for link, name"), ("kid == hello", "did you mean kind?"),
      ("colour == 3", "knows no field"), ("(copy", "does not close"), ("copy)", "should end"),
      ("copy copy", "join with and, or"), ("not", "too early"), ("== 3", "where a field"),
      ("to == everybody", "a number, a fingerprint"), ("id == xyz", "hexadecimal"),
      ("id < 3", "== and != alone"), ("dir == up", "in or out"), ("link == \"x", "its second"),
      ("content == cat", "text, receipt or call-signal"), ("signal == ring", "invite, answer"),
      ("from == nobody", "a number or a fingerprint"), ("text < 3", "and ~"),
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
