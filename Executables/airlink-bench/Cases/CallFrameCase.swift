internal import CSodium
internal import CallSignal
internal import CommandLine
internal import Identity
internal import Mesh
internal import Wire

/// A frame of a call from one mesh's audio to the other's over the direct road, against sealing and
/// opening it.
///
/// What a call costs a node 50 times a second and way, without sockets, codec and processes.
enum CallFrameCase {
  /// What 24 kbit/s make of 20 ms.
  private static let opus = [UInt8](repeating: 0x5A, count: 60)

  static let frame = Subject(
    summary: "a frame of a call between two meshes in memory",
    limit: "the bare libsodium seal and open"
  ) { duration in
    let pair = try Pair()
    try pair.exchange(opus)
    let bare = BareFrame(opus)
    let times = Turns(
      subject: { count in for _ in 0..<count { keep(try? pair.exchange(opus)) } },
      limit: { bare.sealAndOpen($0) }
    ).measure(for: duration)
    try pair.exchange(opus)
    return Measurement(subject: times.subject, limit: times.limit)
  }

  /// Two people in a call over the direct road.
  private final class Pair {
    private var meshes: [Mesh<SealedCryptography>]
    private var now = Instant.zero
    private let wallClock = Timestamp(milliseconds: 1_764_489_600_000)
    private let link = LinkID(1)
    private var frames: [[UInt8]] = []
    private var played = 0

    init() throws {
      meshes = ["Ada", "Ben"].map {
        Mesh(cryptography: SealedCryptography(Identity.generate()), name: $0, now: .zero)
      }
      for index in meshes.indices { meshes[index].linkUp(link, endpoint: "the other", at: moment) }
      pass()
      try meshes[0].call(meshes[1].ownFingerprint.number, at: moment)
      pass()
      try meshes[1].answerCall(at: moment)
      pass()
      for index in meshes.indices { meshes[index].directAddress(isKnown: true, at: moment) }
      // One frame each way, and both keep to the direct road.
      for (from, to) in [(0, 1), (1, 0), (0, 1)] { carry([1], from: from, to: to) }
      pass()
    }

    private var moment: Moment { Moment(instant: now, wallClock: wallClock) }

    /// One frame one way; now and then one comes back, or the road would be given up.
    func exchange(_ opus: [UInt8]) throws {
      now = now + .milliseconds(20)
      if now.nanoseconds % 1_000_000_000 == 0 { carry([1], from: 1, to: 0) }
      let before = played
      carry(opus, from: 0, to: 1)
      guard played == before + 1 else { throw Failure("a frame of the call was lost") }
    }

    private func carry(_ opus: [UInt8], from speaker: Int, to hearer: Int) {
      meshes[speaker].speak(opus, at: moment)
      take(speaker)
      for frame in frames { _ = meshes[hearer].receiveDirectly(frame.span.bytes, at: moment) }
      frames.removeAll(keepingCapacity: true)
      take(hearer)
    }

    private func take(_ index: Int) {
      for effect in meshes[index].takeEffects() {
        switch effect {
        case .sendDirectly(let frame): frames.append(frame)
        case .play: played += 1
        default: break
        }
      }
    }

    /// Carries packets between the two until there are none.
    private func pass() {
      var isQuiet = false
      while !isQuiet {
        isQuiet = true
        for index in meshes.indices {
          while meshes[index].hasWork { meshes[index].work(at: moment) }
          for effect in meshes[index].takeEffects() {
            guard case .send(let packet, _) = effect else { continue }
            isQuiet = false
            meshes[1 - index].receive(packet.view, from: link, at: moment)
          }
        }
      }
    }
  }

  /// The same frame by libsodium's calls alone.
  private struct BareFrame {
    private let plain: Block
    private let sealed: Block
    private let back: Block
    private let key = Block([UInt8](repeating: 7, count: 32))
    private let nonce = Block([UInt8](repeating: 0, count: 12))
    private let number = Block([UInt8](repeating: 0, count: 4))

    init(_ opus: [UInt8]) {
      plain = Block(opus)
      sealed = Block(count: opus.count + 16)
      back = Block(count: opus.count)
    }

    func sealAndOpen(_ count: Int) {
      for _ in 0..<count {
        crypto_aead_chacha20poly1305_ietf_encrypt(
          sealed.bytes, nil, plain.bytes, UInt64(plain.count), number.bytes, 4, nil, nonce.bytes,
          key.bytes)
        keep(
          crypto_aead_chacha20poly1305_ietf_decrypt(
            back.bytes, nil, nil, sealed.bytes, UInt64(sealed.count), number.bytes, 4, nonce.bytes,
            key.bytes))
      }
    }
  }
}
