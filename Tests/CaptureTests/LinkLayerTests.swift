import Capture
import Testing
import Wire

@Suite("Capture: link layers and IP") struct LinkLayerTests {
  private static let segment = NetworkBytes.tcp(packet(id: 1), sequence: 77)

  /// A link layer, and one record of it with a whole packet in a TCP segment.
  private struct Form {
    let name: String
    let linkType: UInt32
    let record: [UInt8]

    init(_ name: String, _ linkType: UInt32, _ parts: [UInt8]...) {
      self.name = name
      self.linkType = linkType
      record = parts.flatMap { $0 }
    }
  }

  /// IPv6 with every extension header that is gone through.
  private static let extended: [UInt8] = {
    var headers: [UInt8] = []
    for next in [43, 60, 51] as [UInt8] { headers += [next, 0, 1, 4, 0, 0, 0, 0] }
    // Authentication counts its length otherwise.
    headers += [44, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    headers += [6, 0, 0, 0, 0, 0, 0, 9]
    return NetworkBytes.ipv6(headers + segment, next: 0)
  }()

  private static let forms: [Form] = {
    let (four, six) = (NetworkBytes.ipv4(segment), NetworkBytes.ipv6(segment))
    let cooked: [UInt8] = [0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0]
    let cooked2: [UInt8] = [0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0]
    return [
      Form("Ethernet", 1, NetworkBytes.ethernet(four)),
      Form("Ethernet, IPv6", 1, NetworkBytes.ethernet(six)),
      Form("VLAN", 1, NetworkBytes.ethernet(four, tags: [0x8100])),
      Form("QinQ", 1, NetworkBytes.ethernet(four, tags: [0x88A8, 0x8100])),
      Form("QinQ, old", 1, NetworkBytes.ethernet(six, tags: [0x9100, 0x8100])),
      Form("cooked", 113, cooked, [8, 0], four),
      Form("cooked, IPv6", 113, cooked, [0x86, 0xDD], six),
      Form("cooked, VLAN", 113, cooked, [0x81, 0, 0, 7, 8, 0], four),
      Form("cooked 2", 276, [8, 0], cooked2, four),
      Form("cooked 2, IPv6", 276, [0x86, 0xDD], cooked2, six),
      Form("null, little", 0, [2, 0, 0, 0], four),
      Form("null, big", 0, [0, 0, 0, 2], four),
      Form("null, macOS", 0, [30, 0, 0, 0], six),
      Form("null, FreeBSD", 0, [0, 0, 0, 28], six),
      Form("loop", 108, [0, 0, 0, 24], six),
      Form("raw", 101, four),
      Form("raw, IPv6", 101, six),
      Form("IPv4", 228, four),
      Form("IPv6", 229, six),
      Form("IPv4 options", 101, NetworkBytes.ipv4(segment, options: 10)),
      Form("segmentation by the card", 101, NetworkBytes.ipv4(segment, totalLength: 0)),
      Form("filled up", 1, NetworkBytes.ethernet(four), [UInt8](repeating: 0xA1, count: 18)),
      Form("extension headers", 101, extended),
    ]
  }()

  @Test("a packet is found behind every link layer", arguments: forms.map(\.name))
  func found(name: String) throws {
    let form = try #require(Self.forms.first { $0.name == name })
    var file = CaptureBytes()
    file.pcapHeader(linkType: form.linkType)
    file.pcapRecord(form.record)
    let reading = try Reading(file.bytes)
    #expect(reading.ids == [1])
    #expect(reading.losses.isEmpty)
    let isIPv6 = reading.links.first?.hasPrefix("[fe80::1]:41000-[fe80::2]:7000") == true
    #expect(isIPv6 || reading.links == ["10.77.1.1:41000-10.77.1.2:7000"])
    #expect(reading.seen.packets.map(\.crossing.direction) == [.outbound])
    // pcapng numbers link layers by itself.
    var second = CaptureBytes()
    second.section()
    second.interface("eth0", linkType: UInt16(form.linkType))
    second.enhanced(form.record)
    #expect(try Reading(second.bytes).ids == [1])
  }

  @Test("records cut anywhere are read without harm", arguments: forms.map(\.name))
  func cut(name: String) throws {
    let form = try #require(Self.forms.first { $0.name == name })
    var file = CaptureBytes()
    file.pcapHeader(linkType: form.linkType)
    for length in 0..<(form.record.count - packet().count) {
      file.pcapRecord(Array(form.record.prefix(length)), original: form.record.count)
    }
    let reading = try Reading(file.bytes)
    #expect(reading.ids.isEmpty && reading.losses.isEmpty)
  }

  @Test("fragments are noticed, once for each pair of addresses")
  func fragments() throws {
    var file = Conversation()
    for offset in [0x2000, 0x0010] as [UInt16] {
      file.raw(NetworkBytes.ipv4(Self.segment, fragment: offset))
    }
    file.raw(NetworkBytes.ipv6([6, 0, 0, 1, 0, 0, 0, 9] + Self.segment, next: 44))
    file.raw(NetworkBytes.ipv4([8, 0, 0, 0], protocol: 1, fragment: 0x2000))
    let reading = try Reading(file.bytes)
    #expect(reading.ids.isEmpty)
    #expect(reading.losses == [.fragments, .fragments])
    #expect(reading.links == ["10.77.1.1-10.77.1.2", "fe80::1-fe80::2"])
  }

  @Test("what is no packet of ours is passed over in silence")
  func foreign() throws {
    var file = Conversation(linkType: 1)
    file.raw(NetworkBytes.ethernet(NetworkBytes.ipv4(NetworkBytes.udp([1, 2, 3]), protocol: 17)))
    file.raw([UInt8](repeating: 2, count: 12) + [8, 6] + [UInt8](repeating: 0, count: 28))
    file.raw(
      NetworkBytes.ethernet(NetworkBytes.ipv4(NetworkBytes.tcp(Array("GET /".utf8), sequence: 1))))
    file.raw(NetworkBytes.ethernet(NetworkBytes.ipv6([58, 0], next: 59)))
    let reading = try Reading(file.bytes)
    #expect(reading.records.count == 4)
    #expect(reading.ids.isEmpty && reading.losses.isEmpty && reading.links.isEmpty)
  }

  @Test("bytes changed at random never trap", arguments: propertySeeds)
  func hostile(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for form in Self.forms {
      var file = CaptureBytes()
      file.pcapHeader(linkType: form.linkType)
      for _ in 0..<20 {
        var record = form.record
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<min(120, record.count), using: &random)
          record[place] = UInt8.random(in: 0...255, using: &random)
        }
        file.pcapRecord(record)
      }
      #expect(try Reading(file.bytes).records.count == 20, "seed \(seed)")
    }
  }
}
