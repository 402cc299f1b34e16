internal import Capture
internal import CommandLine
internal import Identity
internal import Seal
internal import Wire

/// What a filter looks at: a packet, or a voice frame of a call's direct road.
struct FilterSubject {
  let crossing: Crossing
  /// The link's name.
  let link: String
  /// Nil for a frame, which has no header.
  private(set) var facts: PacketFacts?
  /// Of a frame, and of a voice packet.
  private(set) var sequence: UInt32?
  /// In bytes: the whole, and what stands behind the header.
  let size: Int
  let payload: Int
  private(set) var hello: Hello?
  private(set) var message: OpenedMessage?

  /// A packet; hellos are read and openings looked at where the filter wants them.
  init(
    _ facts: PacketFacts, _ view: borrowing PacketView, _ opening: Opening?, _ wants: Filter.Wants,
    link: String
  ) {
    crossing = facts.crossing
    self.link = link
    size = facts.header.packetLength
    payload = Int(facts.header.payloadLength)
    self.facts = facts
    guard facts.refusal == nil else { return }
    switch facts.header.kind {
    case .voice: sequence = view.payload.load(0, as: UInt32.self)
    case .hello where wants.contains(.hello): hello = try? Hello(payload: view.payload)
    default: break
    }
    if case .opened(let opened)? = opening { message = opened }
  }

  init(_ frame: CallFrame, _ crossing: Crossing, link: String) {
    self.crossing = crossing
    self.link = link
    size = frame.byteCount
    payload = frame.byteCount
    sequence = frame.sequence
  }

  /// Who speaks: by a hello's keys, or by an opened message's.
  var from: Fingerprint? { hello?.keys.fingerprint ?? message?.fingerprint }

  /// A text that was opened.
  var text: String? {
    if case .text(let text)? = message?.envelope.content { text } else { nil }
  }

  var signal: String? {
    if case .callSignal(let signal)? = message?.envelope.content { signal.word } else { nil }
  }
}
