/// Puts the packets of one link together again from its bytes, in whatever slices they come
/// (PROTOCOL, section 2, Reassembly).
///
/// Packets are self-framing: it finds the magic, reads the header, waits for the declared length
/// and checks the CRC. Where that fails it looks for the next magic from one byte after the bad
/// one, inside what it already holds: a lost, cut, doubled or corrupted slice costs the packets it
/// touched and no other.
///
/// Whole packets are handed over where they lie. A byte is copied once at the most, into `held`
/// while its packet is not yet whole (and once more for the few that are left when a long row of
/// failures made `held` be moved to its front). Nothing is allocated from a declared length.
public struct StreamChunker: Sendable {
  /// What carries the bytes.
  public enum Medium: Hashable, Sendable {
    /// Loses nothing (TCP): a packet begun is waited for as long as the link lives.
    case reliable
    /// Can lose slices (Bluetooth LE): a packet without a new byte for `stallLimit` is given up.
    case lossy
  }

  /// Why the link must be closed.
  public enum Misbehaviour: Hashable, Sendable {
    /// More than `maximumChecksumFailures` in `checksumFailureWindow`.
    case badChecksums
    /// More than `maximumGarbage` bytes in a row without a packet.
    case garbage
  }

  /// How a link's bytes went, for `/stats` and for tools.
  public struct Statistics: Hashable, Sendable {
    /// Whole packets with a CRC that holds.
    public var packets = 0
    /// CRCs that failed, those inside the extent of a failed packet not counted.
    public var checksumFailures = 0
    /// Bytes that ended up in no packet.
    public var garbage = 0
    /// Packets begun and given up after `stallLimit` without a new byte.
    public var stalls = 0
  }

  public static let stallLimit: Duration = .seconds(2)
  public static let maximumChecksumFailures = 64
  public static let checksumFailureWindow: Duration = .seconds(10)
  public static let maximumGarbage = 64 * 1_024
  /// Bytes checked inside the extent of one failed packet before the rest of it is skipped.
  public static let maximumCheckingPerExtent = 64 * 1_024
  /// `held` is moved to its front when this much of it is used up.
  static let compactionThreshold = 64 * 1_024

  public private(set) var statistics = Statistics()
  private let medium: Medium

  /// Bytes of a packet that is not whole yet, from `head` on.
  private var held: [UInt8] = []
  private var head = 0
  /// How many bytes from `head` on are wanted before anything can be decided.
  private var wanted = PacketHeader.byteCount
  /// Bytes of this link consumed so far: the position of `head` in the stream.
  private var position = 0
  private var lastByteAt = Instant.zero
  private var garbageInARow = 0
  /// Where the first failed packet ends in the stream; headers before it count as one with it.
  private var extentEnd = 0
  private var checkedInExtent = 0
  private var failures = FaultWindow(
    limit: maximumChecksumFailures, window: checksumFailureWindow)
  private var misbehaviour: Misbehaviour?

  public init(_ medium: Medium) { self.medium = medium }

  /// Bytes held for a packet that is not whole yet.
  public var heldByteCount: Int { held.count - head }

  /// When `expire` has something to do; nil while no packet is begun, and on a reliable medium.
  public var deadline: Instant? {
    medium == .lossy && heldByteCount > 0 ? lastByteAt + Self.stallLimit : nil
  }

  /// Takes the next bytes of the link and hands over each packet that is whole.
  ///
  /// - Returns: why the link must be closed now, if it must. It takes no bytes afterwards.
  public mutating func append(
    _ bytes: RawSpan, now: Instant, _ body: (borrowing PacketView) -> Void
  ) -> Misbehaviour? {
    expire(now: now, body)
    if misbehaviour != nil { return misbehaviour }
    if bytes.byteCount > 0 { lastByteAt = now }
    var rest = bytes
    while misbehaviour == nil {
      if heldByteCount > 0 {
        let missing = max(wanted - heldByteCount, 0)
        hold(rest.extracting(first: missing))
        rest = rest.extracting(droppingFirst: missing)
        guard heldByteCount >= wanted else { break }
        stepHeld(now: now, body)
      } else {
        if !held.isEmpty { held.removeAll(keepingCapacity: true) }
        head = 0
        let found = firstMagic(in: rest)
        skip(found)
        rest = rest.extracting(droppingFirst: found)
        guard rest.byteCount >= wanted else {
          hold(rest)
          break
        }
        let used = step(rest, now: now, body)
        rest = rest.extracting(droppingFirst: used)
      }
    }
    if misbehaviour != nil { drop() }
    return misbehaviour
  }

  /// Gives up the packet that is begun when no byte of it came for `stallLimit`, and hands over
  /// what is whole behind it.
  public mutating func expire(now: Instant, _ body: (borrowing PacketView) -> Void) {
    guard let deadline, now >= deadline else { return }
    statistics.stalls += 1
    while heldByteCount > 0, misbehaviour == nil {
      if heldByteCount >= wanted {
        stepHeld(now: now, body)
      } else {
        skip(1)
        consumeHeld(1)
      }
    }
  }

  /// Looks at the packet that should start at the front of `bytes`, `wanted` bytes being there.
  ///
  /// - Returns: how many bytes it used up: the packet, or what is certainly none; 0 when now more
  ///   bytes are wanted.
  private mutating func step(
    _ bytes: RawSpan, now: Instant, _ body: (borrowing PacketView) -> Void
  ) -> Int {
    guard let header = PacketHeader(bytes) else {
      skip(1)
      return 1
    }
    let length = header.packetLength
    guard bytes.byteCount >= length else {
      wanted = length
      return 0
    }
    wanted = PacketHeader.byteCount
    let packet = bytes.extracting(first: length)
    guard packetCRC(packet) == header.crc else {
      let count = lengthToSkip(afterFailureOf: length, now: now)
      skip(count)
      return count
    }
    statistics.packets += 1
    garbageInARow = 0
    position += length
    body(PacketView(checked: header, bytes: packet))
    return length
  }

  /// Counts a failed CRC of a packet of `length` bytes at `position`.
  ///
  /// - Returns: 1, to look on inside it; more, up to what is there, when too much work went into
  ///   the extent of one failed packet and the rest of it is skipped.
  private mutating func lengthToSkip(afterFailureOf length: Int, now: Instant) -> Int {
    if position >= extentEnd {
      extentEnd = position + length
      checkedInExtent = 0
      statistics.checksumFailures += 1
      if failures.note(at: now) { misbehaviour = .badChecksums }
    }
    checkedInExtent += length
    guard checkedInExtent > Self.maximumCheckingPerExtent else { return 1 }
    // A header inside the extent may declare less than what is left of it: the end is then past
    // what is held for sure, and the next failure skips on.
    return max(1, min(length, extentEnd - position))
  }

  /// Counts bytes that are in no packet.
  private mutating func skip(_ count: Int) {
    guard count > 0 else { return }
    position += count
    statistics.garbage += count
    garbageInARow += count
    wanted = PacketHeader.byteCount
    if garbageInARow > Self.maximumGarbage { misbehaviour = .garbage }
  }

  private mutating func hold(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    unsafe bytes.withUnsafeBytes { unsafe held.append(contentsOf: $0) }
  }

  /// Looks at the packet that should start at `head`.
  private mutating func stepHeld(now: Instant, _ body: (borrowing PacketView) -> Void) {
    // Taken out for the while, so that `step` may change everything else.
    var bytes: [UInt8] = []
    swap(&bytes, &held)
    let used = unsafe step(bytes.span.bytes.extracting(droppingFirst: head), now: now, body)
    swap(&bytes, &held)
    consumeHeld(used)
  }

  /// Moves `head` on by what `step` used up, and from there to the next magic.
  private mutating func consumeHeld(_ used: Int) {
    guard used > 0 else { return }
    head += used
    let found = unsafe firstMagic(in: held.span.bytes.extracting(droppingFirst: head))
    skip(found)
    head += found
    if head >= Self.compactionThreshold {
      held.removeSubrange(..<head)
      head = 0
    }
  }

  private mutating func drop() {
    held = []
    head = 0
    wanted = PacketHeader.byteCount
  }

  /// The offset of the first place where a magic stands or may yet stand (its first byte as the
  /// last one of all); the count of bytes where there is none.
  private func firstMagic(in bytes: RawSpan) -> Int {
    unsafe bytes.withUnsafeBytes { bytes in
      let last = bytes.count - 1
      var index = 0
      while index <= last {
        if unsafe bytes[index] == PacketHeader.magic.0,
          unsafe index == last || bytes[index + 1] == PacketHeader.magic.1
        {
          return index
        }
        index += 1
      }
      return bytes.count
    }
  }
}
