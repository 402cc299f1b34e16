import Capture
import Foundation
import Testing
import Wire

/// A capture file in memory, byte by byte.
struct CaptureBytes {
  var isBigEndian = false
  var bytes: [UInt8] = []

  mutating func put<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian) {
      bytes.append(contentsOf: $0)
    }
  }

  // MARK: pcap

  mutating func pcapHeader(nanoseconds: Bool = false, linkType: UInt32 = 147) {
    put(nanoseconds ? 0xA1B2_3C4D as UInt32 : 0xA1B2_C3D4)
    put(2 as UInt16)
    put(4 as UInt16)
    put(0 as UInt32)
    put(0 as UInt32)
    put(262_144 as UInt32)
    put(linkType)
  }

  mutating func pcapRecord(
    _ data: [UInt8], seconds: UInt32 = 1, fraction: UInt32 = 0, original: Int? = nil
  ) {
    put(seconds)
    put(fraction)
    put(UInt32(data.count))
    put(UInt32(original ?? data.count))
    bytes += data
  }

  // MARK: pcapng

  mutating func block(_ type: UInt32, _ body: (inout CaptureBytes) -> Void) {
    var inner = CaptureBytes(isBigEndian: isBigEndian)
    body(&inner)
    while !inner.bytes.count.isMultiple(of: 4) { inner.bytes.append(0) }
    put(type)
    put(UInt32(inner.bytes.count + 12))
    bytes += inner.bytes
    put(UInt32(inner.bytes.count + 12))
  }

  mutating func option(_ code: UInt16, _ value: [UInt8]) {
    put(code)
    put(UInt16(value.count))
    bytes += value
    while !bytes.count.isMultiple(of: 4) { bytes.append(0) }
  }

  mutating func section() {
    block(0x0A0D_0D0A) {
      $0.put(0x1A2B_3C4D as UInt32)
      $0.put(1 as UInt16)
      $0.put(0 as UInt16)
      $0.put(-1 as Int64)
    }
  }

  mutating func interface(
    _ name: String? = nil, linkType: UInt16 = 147, resolution: UInt8? = nil,
    offset: Int64? = nil, snapshot: UInt32 = 0
  ) {
    block(1) {
      $0.put(linkType)
      $0.put(0 as UInt16)
      $0.put(snapshot)
      if let name { $0.option(2, Array(name.utf8)) }
      if let resolution { $0.option(9, [resolution]) }
      if let offset {
        $0.put(14 as UInt16)
        $0.put(8 as UInt16)
        $0.put(offset)
      }
      $0.option(0, [])
    }
  }

  mutating func enhanced(
    _ data: [UInt8], interface: UInt32 = 0, time: UInt64 = 0, flags: UInt32? = nil,
    original: Int? = nil
  ) {
    block(6) {
      $0.put(interface)
      $0.put(UInt32(time >> 32))
      $0.put(UInt32(truncatingIfNeeded: time))
      $0.put(UInt32(data.count))
      $0.put(UInt32(original ?? data.count))
      $0.bytes += data
      while !$0.bytes.count.isMultiple(of: 4) { $0.bytes.append(0) }
      if let flags {
        $0.put(2 as UInt16)
        $0.put(4 as UInt16)
        $0.put(flags)
      }
    }
  }

  mutating func simple(_ data: [UInt8], original: Int? = nil) {
    block(3) {
      $0.put(UInt32(original ?? data.count))
      $0.bytes += data
    }
  }
}

/// A packet of a kind with a payload of zeros.
func packet(
  _ kind: PacketKind = .sealed, id: UInt8 = 1, hopLimit: UInt8 = 1, count: Int = 304
) -> [UInt8] {
  Packet(
    kind: kind, hopLimit: hopLimit, time: Timestamp(milliseconds: 1_000),
    id: PacketID([UInt8](repeating: id, count: 16)) ?? PacketID(),
    destination: Fingerprint(value: 0x0102_0304_0506_0708),
    payload: [UInt8](repeating: 0, count: count)
  ).encoded
}

/// What reading a capture came to.
struct Reading {
  struct Record: Equatable {
    let info: RecordInfo
    let bytes: [UInt8]
  }

  var format: CaptureFormat?
  var records: [Record] = []
  var error: CaptureError?
  let seen = Seen()
  var links: [String] = []

  init(_ bytes: [UInt8]) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let writing = ends[1]
    // A pipe holds less than a capture may be.
    let writer = Thread {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(writing, $0.baseAddress.map { $0 + done }, bytes.count - done)
        }
        if count <= 0 { break }
        done += count
      }
      close(writing)
    }
    signal(SIGPIPE, SIG_IGN)
    writer.start()
    let packets = PacketReader(seen)
    do throws(CaptureError) {
      let reader = try CaptureReader(descriptor: ends[0])
      format = reader.format
      var found: [Record] = []
      defer { records = found }
      while try reader.next({ info, bytes in
        found.append(Record(info: info, bytes: bytes.withUnsafeBytes { Array($0) }))
        packets.take(info, bytes)
      }) {}
    } catch {
      self.error = error
    }
    packets.finish()
    links = packets.links
  }
}

/// A visitor that keeps what it was told.
final class Seen: PacketVisitor {
  private(set) var packets: [(crossing: Crossing, packet: Packet)] = []
  private(set) var frames: [(crossing: Crossing, frame: CallFrame, bytes: [UInt8])] = []
  private(set) var losses: [(crossing: Crossing, loss: Loss)] = []

  func packet(_ crossing: Crossing, _ view: borrowing PacketView) {
    packets.append((crossing, Packet(copying: view)))
  }

  func frame(_ crossing: Crossing, _ frame: CallFrame, _ bytes: RawSpan) {
    frames.append((crossing, frame, bytes.withUnsafeBytes { Array($0) }))
  }

  func lost(_ crossing: Crossing, _ loss: Loss) { losses.append((crossing, loss)) }
}

/// The seeds of the property tests: `AIRLINK_SEED` alone when it is set.
let propertySeeds: [UInt64] =
  ProcessInfo.processInfo.environment["AIRLINK_SEED"].flatMap { UInt64($0) }.map { [$0] }
  ?? Array(1...20)
