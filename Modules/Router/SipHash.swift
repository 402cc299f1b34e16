internal import Wire

/// The 16 secret bytes of a run that key its duplicate table's hash.
///
/// Whoever does not know them cannot make two packets fall together. Deliberately without a
/// description: it belongs in no log.
public struct SipHashKey: Sendable, BitwiseCopyable {
  let k0: UInt64
  let k1: UInt64

  /// The two halves, each as read from eight little-endian bytes.
  public init(k0: UInt64, k1: UInt64) {
    self.k0 = k0
    self.k1 = k1
  }

  /// Nil unless these are exactly 16 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    func littleEndian(_ half: some Collection<UInt8>) -> UInt64 {
      half.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    k0 = littleEndian(bytes.prefix(8))
    k1 = littleEndian(bytes.dropFirst(8))
  }
}

/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), 64 bits.
///
/// Our own rather than libsodium's `crypto_shorthash`, because a core imports no C and because the
/// parts of a packet that change on the way are left out without copying it; never `Hasher`, whose
/// results differ from run to run and would end the simulator's determinism.
struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var length: UInt64 = 0

  init(key: SipHashKey) {
    v0 = key.k0 ^ 0x736f_6d65_7073_6575
    v1 = key.k1 ^ 0x646f_7261_6e64_6f6d
    v2 = key.k0 ^ 0x6c79_6765_6e65_7261
    v3 = key.k1 ^ 0x7465_6462_7974_6573
  }

  /// Takes in eight bytes, the first of them lowest in `word`.
  @inline(__always)
  mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
    length &+= 8
  }

  /// Takes in the last bytes, any number of them, and gives the hash of everything.
  consuming func finish(_ bytes: RawSpan) -> UInt64 {
    let count = bytes.byteCount
    let whole = count & ~7
    var offset = 0
    while offset < whole {
      absorb(
        UInt64(
          littleEndian: unsafe bytes.unsafeLoadUnaligned(
            fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var last = (length &+ UInt64(count & 7)) << 56
    while offset < count {
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      last |= UInt64(byte) << UInt64(8 * (offset & 7))
      offset += 1
    }
    v3 ^= last
    round()
    round()
    v0 ^= last
    v2 ^= 0xff
    round()
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = v1 << 13 | v1 >> 51
    v1 ^= v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = v3 << 16 | v3 >> 48
    v3 ^= v2
    v0 &+= v3
    v3 = v3 << 21 | v3 >> 43
    v3 ^= v0
    v2 &+= v1
    v1 = v1 << 17 | v1 >> 47
    v1 ^= v2
    v2 = v2 << 32 | v2 >> 32
  }
}

extension SipHashKey {
  /// The keyed hash of a packet without hop limit, flags and CRC (PROTOCOL, section 3).
  ///
  /// These count as zero (hop limit, flags) or are left out (CRC), so all copies of a packet are
  /// equal however far they have come.
  func contentHash(of packet: borrowing PacketView) -> UInt64 {
    let bytes = packet.bytes
    let start = UInt64(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    var hash = SipHash(key: self)
    hash.absorb(start & 0xffff_0000_ffff_ffff)
    return hash.finish(bytes.extracting(droppingFirst: 12))
  }
}
