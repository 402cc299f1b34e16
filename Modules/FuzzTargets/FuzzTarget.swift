internal import Chat
internal import HCIRadio
internal import Wire

/// What made-up bytes are fed to, from the network inwards: each reads its input as the program
/// would, and holds what it accepted against what may be accepted.
///
/// libFuzzer drives them (`.ci/fuzz`), and a unit test plays back what it found.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// One packet as it lies in a buffer.
  case packet
  /// A link's bytes, in slices.
  case chunker
  /// What is in an envelope once it is opened, and the opener itself.
  case sealed
  /// A hello, and a contact card.
  case hello
  /// What call signals say.
  case signal
  /// A file in the place of an identity.
  case identity
  /// Lines of the JSON contract.
  case commands
  /// A whole mesh: packets of every kind, links, texts, time.
  case mesh
  /// What a Bluetooth peer sends on an attribute channel.
  case att
  /// What a Bluetooth controller tells.
  case hci

  /// Takes one input.
  ///
  /// - Returns: the rule that was broken, in words; a trap is a finding by itself.
  public func run(_ input: [UInt8]) -> String? {
    switch self {
    case .packet: PacketTarget.run(input)
    case .chunker: ChunkerTarget.run(input)
    case .sealed: SealedTarget.run(input)
    case .hello: HelloTarget.run(input)
    case .signal: SignalTarget.run(input)
    case .identity: IdentityTarget.run(input)
    case .commands: CommandsTarget.run(input)
    case .mesh: MeshTarget.run(input)
    case .att: AttributeTarget.run(input)
    case .hci: HCIFuzz.read(input)
    }
  }
}

/// Made-up bytes, taken from their front; zeros where there are no more.
struct FuzzBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return taken + [UInt8](repeating: 0, count: count - taken.count)
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}

enum PacketTarget {
  static func run(_ input: [UInt8]) -> String? {
    guard let view = PacketView(whole: input.span.bytes) else { return nil }
    let packet = Packet(copying: view)
    guard packet.encoded == input else { return "a packet is not its own bytes" }
    guard packet.payload.count == Int(packet.header.payloadLength) else {
      return "a payload is longer or shorter than it says"
    }
    let other = Packet(packet, hopLimit: 3)
    guard PacketView(whole: other.encoded.span.bytes) != nil else {
      return "the checksum covers the hop limit"
    }
    return nil
  }
}

enum ChunkerTarget {
  /// The same bytes in slices that the input chooses, and in one piece: what comes out is the same.
  static func run(_ input: [UInt8]) -> String? {
    guard let seed = input.first else { return nil }
    let stream = Array(input.dropFirst())
    var whole: [[UInt8]] = []
    var chunker = StreamChunker(.reliable)
    let fault = chunker.append(stream.span.bytes, now: .zero) { whole.append(copy($0)) }
    var sliced: [[UInt8]] = []
    var other = StreamChunker(.reliable)
    var random = SplitMix64(seed: UInt64(seed))
    var offset = 0
    var otherFault: StreamChunker.Misbehaviour?
    while offset < stream.count, otherFault == nil {
      let end = min(stream.count, offset + Int.random(in: 1...300, using: &random))
      otherFault = other.append(
        stream.span.bytes.extracting(offset..<end), now: .zero
      ) { sliced.append(copy($0)) }
      offset = end
      if other.heldByteCount > StreamChunker.maximumGarbage + 16_384 {
        return "the chunker holds \(other.heldByteCount) bytes"
      }
    }
    guard fault == otherFault, whole == sliced else { return "slices change what comes out" }
    for packet in whole where PacketView(whole: packet.span.bytes) == nil {
      return "what comes out is no packet"
    }
    return nil
  }

  private static func copy(_ packet: borrowing PacketView) -> [UInt8] {
    packet.bytes.withUnsafeBytes { Array($0) }
  }
}

enum SignalTarget {
  static func run(_ input: [UInt8]) -> String? {
    guard let signal = CallSignal(body: input.span.bytes) else { return nil }
    return signal.body == input ? nil : "a signal is not its own bytes"
  }
}

enum CommandsTarget {
  static func run(_ input: [UInt8]) -> String? {
    var splitter = LineSplitter()
    var lines: [LineSplitter.Line] = []
    splitter.append(input) { lines.append($0) }
    if let last = splitter.finish() { lines.append(last) }
    for line in lines {
      let first = try? ChatRequest(json: line)
      let second = try? ChatRequest(json: line)
      if first != second { return "one line is two commands" }
    }
    return nil
  }
}
