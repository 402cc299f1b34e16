import Testing
import Wire

@testable import Seal

@Suite("CallKeys") struct CallKeysTests {
  /// Gives out the words of a secret key that a test names.
  private struct Given: RandomNumberGenerator {
    var words: [UInt64]
    init(from first: UInt8) {
      words = (0..<4).map { word in
        (0..<8).reduce(0) { $0 << 8 | UInt64(first + 8 * word + $1) }
      }
    }
    mutating func next() -> UInt64 { words.removeFirst() }
  }

  private let ada = Fingerprint(hex: "3619e750a2dd52ba") ?? Fingerprint()
  private let bob = Fingerprint(hex: "ce04d757588b607d") ?? Fingerprint()

  private func pair(_ first: UInt8) -> CallKeyPair {
    var given = Given(from: first)
    return CallKeyPair(using: &given)
  }

  private func binding(
    nonce: CallNonce? = nil, caller: Fingerprint? = nil, callee: Fingerprint? = nil,
    callerKey: AgreementPublicKey? = nil, calleeKey: AgreementPublicKey? = nil
  ) -> CallBinding {
    CallBinding(
      nonce: nonce ?? CallNonce("7M2KQ9XD".utf8) ?? CallNonce(random: 0), caller: caller ?? ada,
      callee: callee ?? bob, callerKey: callerKey ?? pair(0x80).publicKey,
      calleeKey: calleeKey ?? pair(0xA0).publicKey)
  }

  private func made(_ own: UInt8, _ other: UInt8, isCaller: Bool, _ binding: CallBinding? = nil)
    -> CallKeys?
  {
    CallKeys(
      own: pair(own), other: pair(other).publicKey, isCaller: isCaller,
      binding ?? self.binding())
  }

  // Worked out in Python from hashlib and the package `cryptography`; docs/PROTOCOL.md, section 12,
  // has the same.
  private static let adasFrame = "000000003a362cd65b8d2feddf54dd757c54dbd5e4"
  private static let bobsFrame =
    "010203048e352a91ccaf07cf68875bb9dc36bb6d9bfbce35f90c2512436cd79ac2151bff2e29fe62"
    + ""

  @Test("makes the key pairs and frames that another implementation makes")
  func known() throws {
    #expect(
      pair(0x80).publicKey.hex == "493e82fc74464a59268817623d2053c5eb8e2cc4a988b4fee179ec6b010d531d"
    )
    #expect(
      pair(0xA0).publicKey.hex == "605a725d2a4adfeeb1a29e17edd621c1b7593ee8cdbc44ac6c4ab6e2f805d23c"
    )
    let caller = try #require(made(0x80, 0xA0, isCaller: true))
    let callee = try #require(made(0xA0, 0x80, isCaller: false))
    #expect(caller.seal([0x68], sequence: 0).hex == Self.adasFrame)
    #expect(callee.seal(Array(0..<20), sequence: 0x0102_0304).hex == Self.bobsFrame)
  }

  @Test("opens the other side's frames, and not its own")
  func opens() throws {
    let caller = try #require(made(0x80, 0xA0, isCaller: true))
    let callee = try #require(made(0xA0, 0x80, isCaller: false))
    let ours = try #require([UInt8](hex: Self.adasFrame))
    let theirs = try #require([UInt8](hex: Self.bobsFrame))
    let fromAda = callee.open(ours.span.bytes)
    #expect(fromAda?.sequence == 0)
    #expect(fromAda?.opus == [0x68])
    let fromBob = caller.open(theirs.span.bytes)
    #expect(fromBob?.sequence == 0x0102_0304)
    #expect(fromBob?.opus == Array(0..<20))
    let own = caller.open(ours.span.bytes) == nil && callee.open(theirs.span.bytes) == nil
    #expect(own)
  }

  @Test("opens nothing of a length that no frame has", arguments: [0, 1, 19, 20, 1_401])
  func length(_ count: Int) throws {
    let keys = try #require(made(0x80, 0xA0, isCaller: true))
    let bytes = [UInt8](repeating: 0, count: count)
    let isRefused = keys.open(bytes.span.bytes) == nil
    #expect(isRefused)
  }

  @Test("everything that the keys are bound to changes them")
  func bound() throws {
    let frame = try #require([UInt8](hex: Self.adasFrame))
    let others = [
      binding(nonce: CallNonce(random: 1)), binding(caller: bob), binding(callee: ada),
      binding(callerKey: pair(0xC0).publicKey), binding(calleeKey: pair(0xC0).publicKey),
    ]
    for other in others {
      let keys = try #require(made(0xA0, 0x80, isCaller: false, other))
      let isRefused = keys.open(frame.span.bytes) == nil
      #expect(isRefused)
    }
  }

  @Test("a key of small order makes no keys", arguments: [0, 1] as [UInt8])
  func smallOrder(_ first: UInt8) {
    let other = AgreementPublicKey([first] + [UInt8](repeating: 0, count: 31))
    let keys = CallKeys(
      own: pair(0x80), other: other ?? AgreementPublicKey(), isCaller: true, binding())
    #expect(keys == nil)
  }
}
