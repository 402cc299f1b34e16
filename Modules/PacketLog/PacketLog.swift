internal import Glibc
internal import Wire

/// Why a capture cannot be begun; the path and the system's words.
public struct PacketLogError: Error, Hashable, Sendable {
  public let reason: String
}

/// Writes every packet as it crosses a link to a pcapng file (PROTOCOL, section 9).
///
/// Each block goes out with one write, so that the file can be read at any time. A reader at the
/// other end of a pipe may be slow: what it does not take waits, up to a bound, past which whole
/// packets are left out and counted. Nothing here ever waits.
@MainActor
public final class PacketLog {
  /// Bytes that may wait for a slow reader.
  static let maximumWaiting = 1_024 * 1_024
  /// As many as readers keep of one section; the next link begins another.
  static let maximumInterfaces = 4_096

  /// Told once, in words, when writing had to end.
  public var onEnd: (String) -> Void = { _ in }
  /// Packets that a slow reader did not get.
  public private(set) var leftOut = 0

  private let application: String
  private var descriptor: Int32
  private var interfaces: [String: UInt32] = [:]
  private var waiting: [UInt8] = []
  /// Bytes of whole blocks that the file has.
  private var written: Int = 0

  /// Begins a capture at `path`, over what is there, readable to its owner alone; `application`
  /// stands in it as who wrote it.
  public init(path: String, application: String) throws(PacketLogError) {
    // Without waiting, for a reader of a pipe that has not come yet or takes nothing any more.
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK
    descriptor = open(path, flags, 0o600)
    self.application = application
    guard descriptor >= 0 else { throw PacketLogError(reason: Self.words(errno)) }
    try Self.check(descriptor, path)
    // A pipe or a device has nothing to cut.
    _ = ftruncate(descriptor, 0)
    put(PcapngBlocks.sectionHeader(application: application))
  }

  /// Refuses an open file that holds something other than a capture: it may be somebody's keys.
  private static func check(_ descriptor: Int32, _ path: String) throws(PacketLogError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw PacketLogError(reason: words(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
    // A second time, as what a capture is written to is not open for reading.
    let reader = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard reader >= 0 else { throw PacketLogError(reason: words(errno)) }
    defer { Glibc.close(reader) }
    var read = stat()
    var start: UInt32 = 0
    // The type is equal in either byte order: so a capture says that it is one.
    guard fstat(reader, &read) == 0, read.st_dev == status.st_dev, read.st_ino == status.st_ino,
      Glibc.read(reader, &start, 4) == 4, start == PcapngBlocks.sectionHeaderType
    else { throw PacketLogError(reason: "it is there already, and is no capture") }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Notes a packet that crossed `link`.
  public func note(_ packet: RawSpan, isInbound: Bool, link: String) {
    guard descriptor >= 0 else { return }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let nanoseconds =
      UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    note(packet, isInbound: isInbound, link: link, nanoseconds: nanoseconds)
  }

  /// Notes a packet that crossed `link` at a time, in nanoseconds since 1970.
  public func note(_ packet: RawSpan, isInbound: Bool, link: String, nanoseconds: UInt64) {
    guard descriptor >= 0 else { return }
    flush()
    guard waiting.count < Self.maximumWaiting else {
      leftOut += 1
      return
    }
    put(
      PcapngBlocks.packet(
        packet, interface: interface(link), nanoseconds: nanoseconds, isInbound: isInbound))
  }

  private func interface(_ link: String) -> UInt32 {
    if let known = interfaces[link] { return known }
    if interfaces.count == Self.maximumInterfaces {
      interfaces.removeAll()
      put(PcapngBlocks.sectionHeader(application: application))
    }
    let number = UInt32(interfaces.count)
    interfaces[link] = number
    put(PcapngBlocks.interface(name: link))
    return number
  }

  private func put(_ block: [UInt8]) {
    waiting += block
    flush()
  }

  /// Writes what waits, as far as it is taken.
  func flush() {
    while descriptor >= 0, !waiting.isEmpty {
      let count = waiting.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        waiting.removeFirst(count)
        if waiting.isEmpty { written = position ?? written }
      } else if errno == EINTR {
        continue
      } else if errno == EAGAIN {
        return
      } else {
        end(Self.words(errno))
      }
    }
  }

  /// Where a file stands; nil for a pipe.
  private var position: Int? {
    let place = lseek(descriptor, 0, SEEK_CUR)
    return place >= 0 ? place : nil
  }

  /// Gives up, with a file that ends in a whole block.
  private func end(_ reason: String) {
    if position != nil { _ = ftruncate(descriptor, written) }
    close(descriptor)
    descriptor = -1
    waiting = []
    onEnd(reason)
  }

  private static func words(_ code: Int32) -> String {
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
        return String?.none
      }
      return String(cString: base)
    }
    return text ?? "error \(code)"
  }
}
