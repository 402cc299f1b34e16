import CommandLine
import Foundation
import Identity
import TestSupport
import Testing
import Wire

@testable import PacketDump

/// The program as a user has it, with files in a directory of its own.
final class Bench: Sendable {
  private let directory: ScratchDirectory
  var path: String { directory.path }

  init() throws { directory = try ScratchDirectory() }

  struct Result {
    let code: ExitCode
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    func objects() throws -> [[String: Any]] {
      try lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(object as? [String: Any])
      }
    }
  }

  func write(_ bytes: [UInt8], _ name: String = "capture") throws -> String {
    try directory.write(bytes, name)
  }

  /// Runs the program on a capture of these bytes.
  func run(_ bytes: [UInt8], _ words: String...) throws -> Result {
    run(words: words + [try write(bytes)])
  }

  func run(words: [String], input: Int32 = -1, sink: TextSink? = nil) -> Result {
    let (output, errors) = (RecordedText(), RecordedText())
    let code = PacketDump.run(
      Invocation(words, output: sink ?? output.sink(), errors: errors.sink()), input: input)
    return Result(code: code, output: output.text, errors: errors.text)
  }
}

/// Packets as people send them.
enum Sample {
  static let time = Timestamp(milliseconds: 1_750_000_000_123)
  static let recipient = Fingerprint(value: 0x0102_0304_0506_0708)

  static func packet(
    _ kind: PacketKind = .sealed, id: UInt8 = 1, hopLimit: UInt8 = 1,
    to destination: Fingerprint = recipient, count: Int = 304, time: Timestamp = time
  ) -> Packet {
    Packet(
      kind: kind, hopLimit: hopLimit, time: time, id: packetID(id), destination: destination,
      payload: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
  }

  static func packetID(_ id: UInt8) -> PacketID {
    PacketID([UInt8](repeating: id, count: 16)) ?? PacketID()
  }

  /// A signed hello and who speaks.
  static func hello(_ name: String, id: UInt8 = 9) -> (packet: Packet, identity: Identity) {
    let identity = Identity.generate()
    let hello = identity.makeHello(name: name, id: packetID(id), time: time)
    return (
      Packet(
        kind: .hello, hopLimit: 2, time: time, id: packetID(id), destination: .everyone,
        payload: hello.payload), identity
    )
  }

  /// A pcapng file as a node writes it: USER0, microseconds, link names and directions.
  static func capture(
    _ links: [String], _ records: [(link: UInt32, direction: UInt32, packet: Packet)]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    func word(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    func padded(_ bytes: [UInt8]) -> [UInt8] {
      bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    func block(_ type: UInt32, _ body: [UInt8]) {
      bytes += word(type) + word(UInt32(body.count + 12)) + body + word(UInt32(body.count + 12))
    }
    block(0x0A0D_0D0A, word(0x1A2B_3C4D as UInt32) + word(1 as UInt32) + word(-1 as Int64))
    for link in links {
      let name = Array(link.utf8)
      block(
        1,
        word(147 as UInt32) + word(0 as UInt32) + word(2 as UInt16) + word(UInt16(name.count))
          + padded(name) + word(0 as UInt32))
    }
    for (place, record) in records.enumerated() {
      let time = (time.milliseconds + UInt64(place) * 1_500) * 1_000
      let data = record.packet.encoded
      block(
        6,
        word(record.link) + word(UInt32(time >> 32)) + word(UInt32(truncatingIfNeeded: time))
          + word(UInt32(data.count)) + word(UInt32(data.count)) + padded(data)
          + word(2 as UInt16) + word(4 as UInt16) + word(record.direction) + word(0 as UInt32))
    }
    return bytes
  }
}
