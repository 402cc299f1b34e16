import CommandLine
import Foundation
import Identity
import Testing
import Wire

@testable import PacketDump

@Suite("packetdump: what it shows") struct OutputTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  @Test("a line says when, where, what, whose, how far and how old")
  func lines() throws {
    let bytes = Sample.capture(
      ["wifi-1", "ble-2"],
      [
        (0, 2, Sample.packet(hopLimit: 7)), (1, 1, Sample.packet(hopLimit: 5)),
        (0, 1, Sample.packet(.voice, id: 2, count: 80)),
      ])
    let result = try bench.run(bytes)
    #expect(result.code == .done)
    #expect(result.errors.isEmpty)
    let id = String(repeating: "01", count: 16)
    #expect(
      result.lines == [
        "15:06:40.123000 wifi-1         > sealed  \(id) to 0410-6105 hop 7 348 B age 0.000 s",
        "15:06:41.623000 ble-2          < sealed  \(id) to 0410-6105 hop 5 348 B age 1.500 s"
          + " ; copy 2, first on wifi-1, 2 hops later",
        "15:06:43.123000 wifi-1         < voice   \(String(repeating: "02", count: 16))"
          + " to 0410-6105 hop 1 124 B age 3.000 s",
      ])
  }

  @Test("a hello shows whose it is, and whether its signature holds")
  func hello() throws {
    let (packet, identity) = Sample.hello("Ada")
    let good = try bench.run(packet.encoded).lines
    #expect(good.count == 1)
    #expect(good[0].hasSuffix(" \(identity.fingerprint.number) \"Ada\""))
    let forged = Packet(
      kind: .hello, hopLimit: 2, time: .zero, id: packet.header.id, destination: .everyone,
      payload: Array(packet.payload))
    #expect(try bench.run(forged.encoded).output.contains("its signature does not hold"))
  }

  @Test("names and links of others harm no terminal", arguments: ["--json", "-v", "-x"])
  func harmless(option: String) throws {
    let nasty = "\u{1B}[2J\u{202E}evil\u{7}\u{9B}31m"
    let (packet, _) = Sample.hello(nasty)
    let bytes = Sample.capture([nasty], [(0, 2, packet)])
    for words in [[option], [], ["--stats"]] where words.count < 2 {
      let output = bench.run(words: words + [try bench.write(bytes)]).output
      #expect(
        output.unicodeScalars.allSatisfy {
          $0 == "\n"
            || ($0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x202E)
        })
      #expect(output.contains("evil") || words == ["--stats"])
    }
    let object = try bench.run(bytes, "--json").objects()[0]
    #expect(object["name"] as? String == nasty)
    #expect(object["link"] as? String == nasty)
  }

  @Test("-v shows every field where it stands, without a gap")
  func fields() throws {
    for packet in [
      Sample.packet(), Sample.packet(.voice, count: 21), Sample.hello("Bo").packet,
    ] {
      let fields = PacketFields(packet.view, age: nil)
      var end = 0
      for field in fields.all {
        #expect(field.offset == end)
        end += field.length
      }
      #expect(end == packet.encoded.count)
      let output = try bench.run(packet.encoded, "-v").lines.dropFirst()
      for field in fields.all {
        #expect(output.contains { $0.contains(field.name) && $0.hasSuffix(field.value) })
      }
    }
  }

  @Test("-x shows every byte")
  func hex() throws {
    let packet = Sample.packet(.voice, count: 21)
    let lines = try bench.run(packet.encoded, "-x").lines
    #expect(lines.count == 1 + (44 + 21 + 15) / 16)
    #expect(lines[1].hasPrefix("    0000  a1 1c 01 03"))
    let digits = lines.dropFirst().map { $0.dropFirst(9).prefix(50).filter { $0 != " " } }
    #expect(digits.joined() == packet.encoded.hex)
  }

  @Test("--json has every field of header and payload, exactly")
  func json() throws {
    let (hello, identity) = Sample.hello("Ada")
    let bytes = Sample.capture(
      ["wifi-1"], [(0, 2, Sample.packet(hopLimit: 7)), (0, 1, hello), (0, 1, hello)])
    let objects = try bench.run(bytes, "--json", "-x").objects()
    let sealed = try #require(objects.first)
    #expect(sealed["event"] as? String == "packet")
    #expect(sealed["kind"] as? String == "sealed")
    #expect(sealed["hopLimit"] as? Int == 7)
    #expect(sealed["timeNanoseconds"] as? Int == 1_750_000_000_123_000_000)
    #expect(sealed["time"] as? String == "2025-06-15T15:06:40.123Z")
    #expect(sealed["sent"] as? String == "2025-06-15T15:06:40.123Z")
    #expect(sealed["direction"] as? String == "out")
    #expect(sealed["to"] as? String == "0410-6105")
    #expect(sealed["destination"] as? String == "0102030405060708")
    #expect(sealed["ciphertextLength"] as? Int == 272)
    #expect(sealed["bytes"] as? String == Sample.packet(hopLimit: 7).encoded.hex)
    #expect(objects[1]["name"] as? String == "Ada")
    #expect(objects[1]["signatureHolds"] as? Bool == true)
    #expect(objects[1]["number"] as? String == "\(identity.fingerprint.number)")
    #expect(objects[1]["copy"] as? Int == 1)
    #expect(objects[2]["copy"] as? Int == 2)
    #expect(objects[2]["firstLink"] as? String == "wifi-1")
  }

  @Test("what nodes take no notice of is shown with the reason")
  func refused() throws {
    func odd(version: UInt8 = 1, kind: UInt8 = 2, flags: UInt8 = 0, hop: UInt8 = 1, count: Int)
      -> Packet
    {
      Packet(
        unchecked: version, kind: kind, hopLimit: hop, flags: flags, time: .zero,
        id: Sample.packetID(version &+ kind), destination: .everyone,
        payload: [UInt8](repeating: 0, count: count))
    }
    let packets = [
      odd(version: 2, count: 3), odd(kind: 9, count: 0), odd(count: 5),
      odd(flags: 4, count: 304), odd(kind: 3, hop: 9, count: 40), odd(kind: 1, count: 130),
    ]
    let lines = try bench.run(packets.flatMap(\.encoded)).lines
    let remarks = [
      "another version", "unknown kind", "a length its kind does not have", "flags 4",
      "a hop limit over its kind's 1", "a name length that does not fit",
    ]
    #expect(lines.count == remarks.count)
    for (line, remark) in zip(lines, remarks) { #expect(line.contains(remark), "\(line)") }
    #expect(try bench.run(packets.flatMap(\.encoded), "--filter", "refused").lines.count == 4)
  }

  @Test("--stats counts by kind, link and road")
  func statistics() throws {
    let bytes = Sample.capture(
      ["wifi-1", "ble-2"],
      [
        (0, 2, Sample.packet(hopLimit: 7)), (1, 1, Sample.packet(hopLimit: 6)),
        (1, 1, Sample.hello("Ada").packet),
      ])
    let objects = try bench.run(bytes, "--stats", "--json").objects()
    #expect(
      objects.map { $0["of"] as? String } == ["all", "kind", "kind", "link", "link", "copies"])
    #expect(objects[0]["packets"] as? Int == 3)
    #expect(objects[0]["copies"] as? Int == 1)
    #expect(objects[0]["relayed"] as? Int == 1)
    #expect(objects[0]["milliseconds"] as? Int == 3_000)
    #expect(objects[4]["link"] as? String == "ble-2")
    #expect(objects[4]["in"] as? Int == 2)
    #expect(objects[5]["copies"] as? Int == 1)
    let table = try bench.run(bytes, "--stats").output
    #expect(table.hasPrefix("3 packets, "))
    #expect(table.contains("1 first on wifi-1, again on ble-2"))
  }

  @Test("-c and --filter choose")
  func choice() throws {
    let bytes = (1...5).flatMap { Sample.packet(id: $0).encoded }
    #expect(try bench.run(bytes, "-c", "2").lines.count == 2)
    let chosen = try bench.run(bytes, "--filter", "id == 03 or id == 05").lines
    #expect(chosen.count == 2 && chosen[0].contains("0303"))
  }
}
