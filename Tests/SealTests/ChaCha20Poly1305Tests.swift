import Seal
import Testing

@Suite struct ChaCha20Poly1305Tests {
  private let key = [UInt8](repeating: 1, count: 32)
  private let nonce = [UInt8](repeating: 2, count: 12)
  private let text = Array("twenty milliseconds".utf8)

  private func sealed() -> [UInt8] {
    lending(key, nonce, []) { parts in
      output(text.count + ChaCha20Poly1305.tagLength) { memory in
        memory.copyBytes(from: text)
        ChaCha20Poly1305.seal(
          inPlace: memory, key: parts[0], nonce: parts[1], associatedData: parts[2])
      }
    }
  }

  private func open(_ box: [UInt8], key: [UInt8], nonce: [UInt8], room: Int) -> [UInt8]? {
    var holds = false
    let opened = lending(box, key, nonce) { parts in
      output(room) {
        holds = ChaCha20Poly1305.open(
          parts[0], key: parts[1], nonce: parts[2], associatedData: .init(start: nil, count: 0),
          into: $0)
      }
    }
    return holds ? opened : nil
  }

  @Test("what was sealed opens, with nothing in it too")
  func roundTrip() {
    #expect(open(sealed(), key: key, nonce: nonce, room: text.count) == text)
    let empty = lending(key, nonce) { parts in
      output(ChaCha20Poly1305.tagLength) {
        ChaCha20Poly1305.seal(
          inPlace: $0, key: parts[0], nonce: parts[1], associatedData: .init(start: nil, count: 0))
      }
    }
    #expect(open(empty, key: key, nonce: nonce, room: 0) == [])
  }

  @Test("a key, nonce or box of another length is refused, though its beginning would open")
  func lengths() {
    let box = sealed()
    #expect(open(box, key: key + [0], nonce: nonce, room: text.count) == nil)
    #expect(open(box, key: key, nonce: nonce + [0], room: text.count) == nil)
    #expect(open(box, key: key, nonce: Array(nonce.dropLast()), room: text.count) == nil)
    #expect(open(box, key: key, nonce: nonce, room: text.count + 1) == nil)
    #expect(open(box, key: key, nonce: nonce, room: text.count - 1) == nil)
    #expect(open(Array(box[..<15]), key: key, nonce: nonce, room: 0) == nil)
    #expect(open([], key: key, nonce: nonce, room: 0) == nil)
  }
}
