/// Finds a peer's inbox and outbox and subscribes, one request after the other; no I/O.
///
/// The peer's answers may be anything: each step takes a bounded number of requests, and handles
/// must go up from one to the next.
struct ATTClient: Sendable {
  /// Requests for the characteristics of one service; it has two.
  static let maximumRounds = 8

  enum Outcome: Hashable, Sendable {
    /// To be sent.
    case request(ATTPDU)
    /// Subscribed: what is written to this handle reaches the peer.
    case ready(inbox: UInt16)
    /// It is no AirLink device, or an odd one.
    case failed(String)
    case nothing
  }

  private enum Step: Hashable, Sendable {
    case idle
    case mtu
    case service
    case characteristics(HandleRange)
    case descriptors(HandleRange)
    case subscribing
    case ready
    case failed
  }

  private let uuids: AirLinkAttributes
  private var step = Step.idle
  private var rounds = 0
  private var serviceEnd: UInt16 = 0
  private var inbox: UInt16?
  /// The outbox's value, and the last handle that can be its descriptor's.
  private(set) var outbox: UInt16?
  private var outboxEnd: UInt16 = 0

  init(_ uuids: AirLinkAttributes) { self.uuids = uuids }

  /// Whether a request is under way.
  var isAsking: Bool { step != .idle && step != .ready && step != .failed }

  mutating func start(mtu: UInt16) -> Outcome {
    step = .mtu
    return .request(.mtuRequest(mtu))
  }

  /// Takes the answer to the request that is under way.
  mutating func answered(_ pdu: ATTPDU) -> Outcome {
    let outcome = next(pdu)
    switch outcome {
    case .failed: step = .failed
    case .ready: step = .ready
    case .request, .nothing: break
    }
    return outcome
  }

  private mutating func next(_ pdu: ATTPDU) -> Outcome {
    switch (step, pdu) {
    case (.idle, _), (.ready, _), (.failed, _): return .nothing
    case (.mtu, .mtuResponse), (.mtu, .error):
      // Who knows no other MTU has the smallest.
      step = .service
      return .request(
        .findByTypeValueRequest(
          HandleRange(1, .max), type: 0x2800, value: uuids.service.bytes))
    case (.service, .findByTypeValueResponse(let ranges)):
      guard let range = ranges.first, range.isValid else {
        return .failed("its service has impossible handles")
      }
      serviceEnd = range.last
      return ask(.characteristics(range))
    case (.service, .error): return .failed("it has no AirLink service")
    case (.characteristics(let range), .readByTypeResponse(let entries)):
      return found(entries, in: range)
    case (.characteristics, .error(_, _, let code)):
      return code == .attributeNotFound
        ? endOfCharacteristics() : .failed("its characteristics cannot be read")
    case (.descriptors(let range), .findInformationResponse(let entries)):
      return found(entries, in: range)
    case (.descriptors, .error): return .failed("its outbox cannot be subscribed to")
    case (.subscribing, .writeResponse):
      return inbox.map { .ready(inbox: $0) } ?? .failed("it has no inbox")
    case (.subscribing, .error): return .failed("it refuses the subscription")
    default: return .failed("it answers with something else than asked for")
    }
  }

  private mutating func ask(_ next: Step) -> Outcome {
    rounds += 1
    guard rounds <= Self.maximumRounds else { return .failed("its service has no end") }
    step = next
    switch next {
    case .characteristics(let range):
      return .request(.readByTypeRequest(range, type: .characteristic))
    case .descriptors(let range): return .request(.findInformationRequest(range))
    default: return .nothing
    }
  }

  /// Declarations of characteristics: properties, the value's handle, its UUID.
  private mutating func found(_ entries: [ATTPDU.Value], in range: HandleRange) -> Outcome {
    var before = range.first == 0 ? 0 : range.first - 1
    for entry in entries {
      var reader = ATTReader(entry.value[...])
      guard entry.handle > before, entry.handle <= range.last, let properties = reader.byte(),
        let handle = reader.word(), handle > entry.handle, handle <= serviceEnd,
        let type = GATTUUID(bytes: reader.all())
      else { return .failed("its characteristics have impossible handles") }
      before = entry.handle
      if outbox != nil, outboxEnd == serviceEnd { outboxEnd = entry.handle - 1 }
      if type == uuids.inbox {
        guard properties & AttributeTable.Property.writeWithoutResponse != 0 else {
          return .failed("its inbox cannot be written to")
        }
        inbox = handle
      } else if type == uuids.outbox {
        guard properties & AttributeTable.Property.notify != 0 else {
          return .failed("its outbox does not notify")
        }
        outbox = handle
        outboxEnd = serviceEnd
      }
    }
    guard before < range.last else { return endOfCharacteristics() }
    return ask(.characteristics(HandleRange(before + 1, range.last)))
  }

  private mutating func endOfCharacteristics() -> Outcome {
    guard inbox != nil, let outbox else { return .failed("it has no inbox or no outbox") }
    guard outbox < outboxEnd else { return .failed("its outbox cannot be subscribed to") }
    rounds = 0
    return ask(.descriptors(HandleRange(outbox + 1, outboxEnd)))
  }

  /// Descriptors of the outbox.
  private mutating func found(_ entries: [ATTPDU.Information], in range: HandleRange) -> Outcome {
    var before = range.first == 0 ? 0 : range.first - 1
    for entry in entries {
      guard entry.handle > before, entry.handle <= range.last else {
        return .failed("its descriptors have impossible handles")
      }
      before = entry.handle
      if entry.type == .configuration {
        step = .subscribing
        return .request(.writeRequest(entry.handle, [1, 0]))
      }
    }
    guard before < range.last else { return .failed("its outbox cannot be subscribed to") }
    return ask(.descriptors(HandleRange(before + 1, range.last)))
  }
}
