import Testing
import Wire

@Suite struct CallSignalTests {
  static let nonce = CallNonce(random: 0x0123_4567_89AB)
  static let key = AgreementPublicKey([UInt8](0..<32)) ?? AgreementPublicKey()
  static let signals: [(UInt8, CallSignal)] = [
    (1, .invite(nonce, key)), (2, .answer(nonce, key)), (3, .decline(nonce)), (4, .end(nonce)),
    (5, .deaf(nonce)),
  ]

  private static func read(_ bytes: [UInt8]) -> CallSignal? {
    CallSignal(body: bytes.span.bytes)
  }

  @Test("every signal goes there and back in its exact length", arguments: signals)
  func roundTrip(number: UInt8, signal: CallSignal) {
    let hasKey = number < 3
    #expect(signal.body.count == (hasKey ? 41 : 9))
    #expect(signal.body[0] == number)
    #expect(Array(signal.body[1..<9]) == Self.nonce.characters)
    #expect(Array(signal.body[9...]) == (hasKey ? Self.key.bytes : []))
    #expect(Self.read(signal.body) == signal)
    #expect(signal.nonce == Self.nonce)
  }

  @Test("every other length is refused", arguments: signals)
  func lengths(number: UInt8, signal: CallSignal) {
    let long = signal.body + [UInt8](repeating: 0x41, count: 60)
    for length in 0..<long.count where length != signal.body.count {
      #expect(Self.read(Array(long[..<length])) == nil, "\(length) bytes of signal \(number)")
    }
  }

  @Test("an unknown signal is refused in either length")
  func unknown() {
    for number in UInt8.min...UInt8.max where !(1...5).contains(number) {
      for (_, signal) in Self.signals {
        var body = signal.body
        body[0] = number
        #expect(Self.read(body) == nil)
      }
    }
  }

  @Test("a nonce has only characters of the number's alphabet, in upper case")
  func nonceAlphabet() {
    let alphabet = Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    for byte in UInt8.min...UInt8.max {
      for place in 1...8 {
        var body = CallSignal.end(Self.nonce).body
        body[place] = byte
        #expect((Self.read(body) != nil) == alphabet.contains(byte), "byte \(byte) at \(place)")
      }
    }
  }

  @Test("a nonce is eight characters", arguments: [0, 7, 9])
  func nonceLength(count: Int) {
    #expect(CallNonce([UInt8](repeating: 0x41, count: count)) == nil)
  }

  @Test("a random number's low 40 bits make a nonce that is read again", arguments: propertySeeds)
  func randomNonce(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let word = random.next()
    let nonce = CallNonce(random: word)
    #expect(CallNonce(nonce.characters) == nonce, "seed \(seed)")
    #expect(CallNonce(random: word ^ (1 << 40)) == nonce, "seed \(seed)")
    #expect(CallNonce(random: word ^ (1 << 39)) != nonce, "seed \(seed)")
    #expect(nonce.description.utf8.elementsEqual(nonce.characters))
  }
}
