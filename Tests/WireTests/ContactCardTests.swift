import Testing
import Wire

@Suite struct ContactCardTests {
  private let card: ContactCard

  init() {
    var random = SplitMix64(seed: 6)
    card = ContactCard(
      hello: Hello(
        keys: PublicKeys(signing: random.value(), agreement: random.value()), name: "Zoë",
        signature: random.value()),
      time: Timestamp(milliseconds: 0x0102_0304_0506_0708))
  }

  private func read(_ text: String) -> Result<ContactCard, ContactCard.DecodeError> {
    outcome { () throws(ContactCard.DecodeError) in try ContactCard(text: text) }
  }

  @Test("a card is the hello's payload and the time, and goes there and back as bytes and text")
  func roundTrip() throws {
    #expect(card.bytes == card.hello.payload + Array(1...8))
    #expect(try ContactCard(bytes: card.bytes) == card)
    #expect(card.text.hasPrefix("airlink-card-v1:"))
    #expect(read(card.text) == .success(card))
  }

  @Test(
    "white space around a card's text is passed over",
    arguments: [" ", "\n", "\r\n", "\t \n", String(repeating: "\n", count: 50)])
  func whiteSpace(space: String) {
    #expect(read(space + card.text) == .success(card))
    #expect(read(card.text + space) == .success(card))
    #expect(read(space + card.text + space) == .success(card))
  }

  @Test("white space inside is refused")
  func whiteSpaceInside() {
    let text = card.text
    let middle = text.index(text.startIndex, offsetBy: 60)
    #expect(read(text[..<middle] + "\n" + text[middle...]) == .failure(.badBase64))
    #expect(read("airlink-card-v1: " + card.bytes.base64URL) == .failure(.badBase64))
  }

  @Test(
    "a text without the prefix is no card",
    arguments: [
      "", " ", "\n\n", "airlink-card-v1", "airlink-card-v2:AAAA", "AIRLINK-CARD-V1:AAAA", "x",
    ])
  func prefix(text: String) {
    #expect(read(text) == .failure(.missingPrefix))
  }

  @Test("padding, other alphabets and loose bits are refused")
  func badBase64() {
    for tail in ["=", "==", "+", "/", "A"] where (card.text + tail).utf8.count % 4 != 5 {
      guard case .failure = read(card.text + tail) else {
        Issue.record("\(tail) at the end was accepted")
        continue
      }
    }
    #expect(read(card.text + "=") == .failure(.badBase64))
  }

  @Test("every cut length is refused")
  func cuts() {
    for length in 0..<card.bytes.count {
      let cut = Array(card.bytes[..<length])
      let bytes = outcome { () throws(ContactCard.DecodeError) in try ContactCard(bytes: cut) }
      #expect(bytes == .failure(.badLength(length)))
      #expect(read(ContactCard.textPrefix + cut.base64URL) == .failure(.badLength(length)))
    }
    let long = card.bytes + [0]
    let bytes = outcome { () throws(ContactCard.DecodeError) in try ContactCard(bytes: long) }
    #expect(bytes == .failure(.badLength(long.count)))
  }

  @Test("every cut of the text is refused")
  func textCuts() {
    for length in 0..<card.text.count {
      guard case .failure = read(String(card.text.prefix(length))) else {
        Issue.record("\(length) characters were accepted")
        continue
      }
    }
  }

  @Test("a name that is not UTF-8 is refused")
  func badName() {
    var bytes = card.bytes
    bytes[65] = 0xFF
    let read = outcome { () throws(ContactCard.DecodeError) in try ContactCard(bytes: bytes) }
    #expect(read == .failure(.nameNotUTF8))
  }

  @Test("the signature covers a label of its own and the time, so no hello passes as a card")
  func signedBytes() {
    let unsigned = Hello.unsignedPayload(keys: card.hello.keys, name: card.hello.name)
    #expect(
      ContactCard.signedBytes(time: card.time, unsignedPayload: unsigned)
        == Array("airlink-card-v1".utf8) + Array(1...8) + unsigned)
  }
}
