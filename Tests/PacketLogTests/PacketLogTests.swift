import Capture
import Foundation
import TestSupport
import Testing
import Wire

@testable import PacketLog

/// Keeps what a reader found.
private final class Found: PacketVisitor {
  private(set) var packets: [(crossing: Crossing, packet: Packet)] = []
  private(set) var losses: [Loss] = []

  func packet(_ crossing: Crossing, _ view: borrowing PacketView) {
    packets.append((crossing, Packet(copying: view)))
  }

  func frame(_ crossing: Crossing, _ frame: CallFrame, _ bytes: RawSpan) {}
  func lost(_ crossing: Crossing, _ loss: Loss) { losses.append(loss) }
}

@Suite("PacketLog") @MainActor struct PacketLogTests {
  private let directory: ScratchDirectory
  private var path: String { directory.file("node.pcapng") }

  init() throws { directory = try ScratchDirectory() }

  private func packet(_ id: UInt8, count: Int = 304) -> Packet {
    Packet(
      kind: count == 304 ? .sealed : .voice, hopLimit: 1, time: .zero,
      id: PacketID([UInt8](repeating: id, count: 16)) ?? PacketID(),
      destination: Fingerprint(value: 1), payload: [UInt8](repeating: 0, count: count))
  }

  private func read(_ reader: CaptureReader) throws -> (links: [String], found: Found) {
    let found = Found()
    let packets = PacketReader(found)
    while try reader.next({ packets.take($0, $1) }) {}
    packets.finish()
    return (packets.links, found)
  }

  @Test("what is noted can be read at once, with link, direction and time")
  func roundTrip() throws {
    let log = try PacketLog(path: path, application: "test 1")
    #expect(try read(CaptureReader(path: path)).found.packets.isEmpty)
    for (id, link) in [(1, "wifi-1"), (2, "ble-2"), (3, "wifi-1")] as [(UInt8, String)] {
      // Lengths of every remainder by four.
      let packet = packet(id, count: 20 + Int(id))
      log.note(
        packet.view.bytes, isInbound: id == 2, link: link, nanoseconds: UInt64(id) << 40 | 7)
      let (links, found) = try read(CaptureReader(path: path))
      #expect(found.packets.count == Int(id))
      #expect(found.losses == [])
      #expect(found.packets.last?.packet == packet)
      let crossing = try #require(found.packets.last?.crossing)
      #expect(links[crossing.link] == link)
      #expect(crossing.direction == (id == 2 ? .inbound : .outbound))
      #expect(crossing.time?.nanoseconds == Int64(id) << 40 | 7)
    }
  }

  @Test("the clock is the system's")
  func clock() throws {
    let log = try PacketLog(path: path, application: "test 1")
    let before = Int64(Date().timeIntervalSince1970)
    log.note(packet(1).view.bytes, isInbound: true, link: "x")
    let time = try read(CaptureReader(path: path)).found.packets[0].crossing.time
    let seconds = try #require(time).nanoseconds / 1_000_000_000
    #expect((before...before + 60).contains(seconds))
  }

  @Test("the file is its owner's alone, and an old one is written over")
  func mode() throws {
    _ = try PacketLog(path: path, application: "test 1")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: PacketLogError(reason: "Is a directory")) {
      try PacketLog(path: (path as NSString).deletingLastPathComponent, application: "")
    }
  }

  @Test("more links than a section holds go on in the next")
  func manyLinks() throws {
    let log = try PacketLog(path: path, application: "test 1")
    let packet = packet(1)
    for link in 0...PacketLog.maximumInterfaces {
      log.note(packet.view.bytes, isInbound: true, link: "wifi-\(link)", nanoseconds: 1)
    }
    let found = try read(CaptureReader(path: path)).found
    #expect(found.packets.count == PacketLog.maximumInterfaces + 1)
  }

  @Test("a reader that takes nothing costs whole packets, and gets whole ones later")
  func slowReader() throws {
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    let log = try PacketLog(path: path, application: "test 1")
    let packet = packet(1)
    let count = 5_000
    for _ in 0..<count {
      log.note(packet.view.bytes, isInbound: true, link: "x", nanoseconds: 1)
    }
    #expect(log.leftOut > 0 && log.leftOut < count)
    // Drained piece by piece until all that waited is out.
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let got = Glibc.read(reader, &piece, piece.count)
      if got <= 0 { break }
      bytes += piece.prefix(got)
      log.flush()
    }
    let file = path + ".read"
    try Data(bytes).write(to: URL(filePath: file))
    let found = try read(CaptureReader(path: file)).found
    #expect(found.packets.count == count - log.leftOut)
    #expect(found.losses == [])
    close(reader)
  }

  @Test("a reader that goes away is said once, and nothing more is written")
  func goneReader() throws {
    signal(SIGPIPE, SIG_IGN)
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    let log = try PacketLog(path: path, application: "test 1")
    var ends: [String] = []
    log.onEnd = { ends.append($0) }
    close(reader)
    for _ in 0..<3 { log.note(packet(1).view.bytes, isInbound: true, link: "x") }
    #expect(ends == ["Broken pipe"])
  }

  @Test("a file that may grow no more ends in a whole block")
  func fullDisk() throws {
    signal(SIGXFSZ, SIG_IGN)
    let log = try PacketLog(path: path, application: "test 1")
    var ends: [String] = []
    log.onEnd = { ends.append($0) }
    try withFileSizeLimit(1_000) {
      for _ in 0..<5 { log.note(packet(1).view.bytes, isInbound: true, link: "x") }
    }
    #expect(ends == ["File too large"])
    #expect(try read(CaptureReader(path: path)).found.packets.count == 2)
  }

  /// Runs `body` while no file of this process may grow over `bytes`.
  private func withFileSizeLimit(_ bytes: rlim_t, _ body: () -> Void) throws {
    var old = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old) == 0)
    var limit = rlimit(rlim_cur: bytes, rlim_max: old.rlim_max)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old) }
    body()
  }

  @Test("an older capture is written over; whatever else is there is left as it is")
  func existing() throws {
    do {
      let log = try PacketLog(path: path, application: "test 1")
      log.note(packet(1).view.bytes, isInbound: true, link: "wifi-1", nanoseconds: 1)
    }
    _ = try PacketLog(path: path, application: "test 2")
    #expect(try read(CaptureReader(path: path)).found.packets.isEmpty)
    let keys = path + ".keys"
    for held in ["airlink-identity", "\n\r\r", "x"] {
      let file = try #require(fopen(keys, "w"))
      fputs(held, file)
      fclose(file)
      #expect(throws: PacketLogError(reason: "it is there already, and is no capture")) {
        try PacketLog(path: keys, application: "test 1")
      }
      var status = stat()
      #expect(stat(keys, &status) == 0 && Int(status.st_size) == held.utf8.count)
    }
  }
}
