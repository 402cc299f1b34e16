internal import Identity
internal import Mesh
internal import MeshSim
internal import Wire

enum SealedTarget {
  private static let opener = SeededCryptography(person: 1, worldKey: 1, seed: 1)

  static func run(_ input: [UInt8]) -> String? {
    // As ciphertext: nothing that was made up may open.
    let opened = opener?.open(input.span.bytes, packetID: PacketID(), time: .zero)
    if opened != nil { return "made-up bytes open" }
    // As what stands in an envelope, which the ciphertext would have to be somebody's own doing for.
    guard let envelope = try? Envelope(padded: input.span.bytes) else { return nil }
    let again = Envelope(
      sender: envelope.sender, signature: envelope.signature, messageID: envelope.messageID,
      content: envelope.content)
    guard let padded = again.padded else { return "an envelope that is too long was accepted" }
    // A larger bucket than needed is accepted, zeros behind it.
    guard input.starts(with: padded) || padded.starts(with: input) else {
      return "an envelope is not its own bytes"
    }
    return nil
  }
}

enum HelloTarget {
  static func run(_ input: [UInt8]) -> String? {
    if let hello = try? Hello(payload: input.span.bytes) {
      guard hello.payload == input else { return "a hello is not its own bytes" }
      _ = hello.isAuthentic(id: PacketID(), time: .zero)
    }
    if let card = try? ContactCard(bytes: input) {
      guard card.bytes == input else { return "a card is not its own bytes" }
      _ = card.isAuthentic
      guard let again = try? ContactCard(text: card.text), again == card else {
        return "a card's text is another card"
      }
    }
    if let text = String(validating: input, as: UTF8.self),
      let card = try? ContactCard(text: text), (try? ContactCard(text: card.text)) != card
    {
      return "a card's text is another card"
    }
    return nil
  }
}
