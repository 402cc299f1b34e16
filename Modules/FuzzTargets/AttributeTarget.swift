internal import ATT

enum AttributeTarget {
  /// A peer's messages, each behind its length.
  static func run(_ input: [UInt8]) -> String? {
    var bearer = ATTBearer()
    var rest = input[...]
    _ = bearer.start()
    while let length = rest.popFirst() {
      let message = Array(rest.prefix(Int(length)))
      rest = rest.dropFirst(Int(length))
      let before = bearer.mtu
      for output in bearer.receive(message) {
        switch output {
        case .send(let answer):
          guard (1...max(before, bearer.mtu)).contains(answer.count) else {
            return "an answer of \(answer.count) bytes"
          }
          guard ATTPDU(decoding: answer) != nil else { return "an answer that cannot be read" }
        case .inbox(let chunk), .outbox(let chunk):
          if chunk.isEmpty || chunk.count > message.count { return "a chunk out of nothing" }
        case .chunkLimit(let limit):
          if !(20...514).contains(limit) { return "an MTU that there is not" }
        case .violation: return nil
        case .subscribed, .clientReady, .clientFailed: break
        }
      }
    }
    return nil
  }
}
