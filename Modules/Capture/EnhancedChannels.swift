/// The channels beside the fixed one that carry the attribute protocol (EATT; Core specification,
/// volume 3, part G, 5.3): BlueZ opens some of them with each peer that has them too.
///
/// Their packets are parts of larger ones, the first of which has the whole's length before it (part
/// A, 3.4.3). Which channels they are is said when they are opened: by either form of credit-based
/// connection (part A, 4.22 and 4.25).
struct EnhancedChannels {
  /// The channel of L2CAP's own commands over LE.
  static let signalling: UInt16 = 5
  /// The protocol number of the attribute protocol, here named SPSM.
  private static let attributes: UInt16 = 0x27
  static let maximumChannels = 64
  static let maximumRequests = 16

  /// The direction that packets go in, and the number that their receiver gave the channel.
  private struct Channel: Hashable {
    let direction: Direction
    let number: UInt16
  }

  private struct Request: Hashable {
    let direction: Direction
    let identifier: UInt8
  }

  /// What is put together on each channel; empty between packets.
  private var held: [Channel: [UInt8]] = [:]
  private var requests: Set<Request> = []

  /// Takes a packet of another channel than the fixed ones.
  ///
  /// `deliver` is given whole packets of the attribute protocol, `gap` how many bytes of one are
  /// lost.
  mutating func take(
    _ packet: RawSpan, on number: UInt16, _ direction: Direction, deliver: (RawSpan) -> Void,
    gap: (Int) -> Void
  ) {
    let channel = Channel(direction: direction, number: number)
    guard var bytes = held.updateValue([], forKey: channel) else {
      held[channel] = nil
      return
    }
    packet.withUnsafeBytes { bytes.append(contentsOf: $0) }
    guard let length = bytes.span.bytes.load(little: 0, as: UInt16.self) else { return }
    let wanted = 2 + Int(length)
    if bytes.count == wanted {
      deliver(bytes.span.bytes.extracting(droppingFirst: 2))
    } else if bytes.count < wanted {
      held[channel] = bytes
    } else {
      // A part of a packet that the capture has not was taken for a beginning.
      gap(0)
    }
  }

  /// What is begun in this direction never ends: a packet of it was lost.
  mutating func drop(_ direction: Direction) {
    for channel in held.keys where channel.direction == direction { held[channel] = [] }
  }

  /// Takes a command: code, identifier, length, and what it has.
  mutating func take(command: RawSpan, _ direction: Direction) {
    guard let code = command.load(0, as: UInt8.self),
      let identifier = command.load(1, as: UInt8.self)
    else { return }
    let body = command.extracting(droppingFirst: 4)
    switch code {
    // Requests of either form: the protocol, then on which channels answers are awaited.
    case 0x14: request(body, identifier, direction, numbersAt: 2, limit: 1)
    case 0x17: request(body, identifier, direction, numbersAt: 8, limit: 5)
    // Responses: on which channels packets are awaited.
    case 0x15: respond(body, identifier, direction, numbersAt: 0, limit: 1)
    case 0x18: respond(body, identifier, direction, numbersAt: 8, limit: 5)
    case 0x06: close(body, direction)
    default: break
    }
  }

  private mutating func request(
    _ body: RawSpan, _ identifier: UInt8, _ direction: Direction, numbersAt offset: Int, limit: Int
  ) {
    let key = Request(direction: direction, identifier: identifier)
    guard body.load(little: 0, as: UInt16.self) == Self.attributes,
      requests.count < Self.maximumRequests
    else {
      requests.remove(key)
      return
    }
    requests.insert(key)
    open(body, direction.opposite, numbersAt: offset, limit: limit)
  }

  private mutating func respond(
    _ body: RawSpan, _ identifier: UInt8, _ direction: Direction, numbersAt offset: Int, limit: Int
  ) {
    let key = Request(direction: direction.opposite, identifier: identifier)
    guard requests.remove(key) != nil else { return }
    open(body, direction.opposite, numbersAt: offset, limit: limit)
  }

  private mutating func open(
    _ body: RawSpan, _ direction: Direction, numbersAt offset: Int, limit: Int
  ) {
    for place in 0..<limit {
      guard let number = body.load(little: offset + 2 * place, as: UInt16.self), number >= 0x40,
        held.count < Self.maximumChannels
      else { return }
      held[Channel(direction: direction, number: number)] = []
    }
  }

  /// A disconnection request: the receiver's number, then the sender's own.
  private mutating func close(_ body: RawSpan, _ direction: Direction) {
    guard let theirs = body.load(little: 0, as: UInt16.self),
      let own = body.load(little: 2, as: UInt16.self)
    else { return }
    held[Channel(direction: direction, number: theirs)] = nil
    held[Channel(direction: direction.opposite, number: own)] = nil
  }
}

extension Direction {
  var opposite: Direction { self == .inbound ? .outbound : .inbound }
}
