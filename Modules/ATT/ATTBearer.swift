/// One ATT connection with both of our parts in it: server of our attributes, client of the peer's
/// (Bluetooth Core 5.4, volume 3, part F); no I/O.
///
/// Messages go in, and what is to be done comes out in order.
public struct ATTBearer: Sendable {
  /// What is asked for, and taken: a value of 514 bytes and its header.
  public static let ownMTU = 517
  /// What holds until both sides agree on more.
  public static let smallestMTU = 23
  /// Messages that are none before the connection is closed.
  public static let maximumMalformed = 16
  /// Opcode and handle before a value.
  public static let valueHeader = 3

  public enum Output: Hashable, Sendable {
    case send([UInt8])
    /// The peer wrote to our inbox.
    case inbox([UInt8])
    /// The peer's outbox notified.
    case outbox([UInt8])
    /// The peer takes our notifications from now on, or no more.
    case subscribed(Bool)
    /// Values may be this long from now on.
    case chunkLimit(Int)
    /// We may write to the peer's inbox, and have subscribed to its outbox.
    case clientReady
    /// It is no AirLink device.
    case clientFailed(String)
    /// The peer breaks the rules: the connection is to be closed.
    case violation(String)
  }

  private var server: ATTServer
  private var client: ATTClient
  public private(set) var mtu = smallestMTU
  private var peerInbox: UInt16?
  private var malformed = 0

  public init(_ uuids: AirLinkAttributes = .standard) {
    server = ATTServer(AttributeTable(uuids))
    client = ATTClient(uuids)
  }

  public var chunkLimit: Int { mtu - Self.valueHeader }
  public var isSubscribed: Bool { server.isSubscribed }
  /// Whether an answer is waited for.
  public var isAsking: Bool { client.isAsking }

  /// Begins to look for the peer's service.
  public mutating func start() -> [Output] {
    outputs(of: client.start(mtu: UInt16(Self.ownMTU)))
  }

  /// A write without response to the peer's inbox; nil before `clientReady`, or when it is too long.
  public func write(_ chunk: [UInt8]) -> [UInt8]? {
    guard let peerInbox, chunk.count <= chunkLimit else { return nil }
    return ATTPDU.writeCommand(peerInbox, chunk).encoded
  }

  /// A notification of our outbox; nil where nobody has subscribed, or when it is too long.
  public func notification(_ chunk: [UInt8]) -> [UInt8]? {
    guard server.isSubscribed, chunk.count <= chunkLimit else { return nil }
    return ATTPDU.notification(AttributeTable.outbox, chunk).encoded
  }

  /// Takes a message.
  public mutating func receive(_ bytes: [UInt8]) -> [Output] {
    guard let pdu = ATTPDU(decoding: bytes) else { return refuse(bytes) }
    switch pdu {
    case .mtuRequest(let peer):
      return [.send(ATTPDU.mtuResponse(UInt16(Self.ownMTU)).encoded)] + agree(on: peer)
    case .notification(let handle, let value):
      return handle == client.outbox && !value.isEmpty ? [.outbox(value)] : []
    case .indication(let handle, let value):
      let confirmation = Output.send(ATTPDU.confirmation.encoded)
      return handle == client.outbox && !value.isEmpty
        ? [confirmation, .outbox(value)] : [confirmation]
    case .confirmation: return []
    case .error, .mtuResponse, .findInformationResponse, .findByTypeValueResponse,
      .readByTypeResponse, .readResponse, .readBlobResponse, .readByGroupTypeResponse,
      .writeResponse:
      guard client.isAsking else { return count() }
      var news: [Output] = []
      if case .mtuResponse(let peer) = pdu { news = agree(on: peer) }
      return news + outputs(of: client.answered(pdu))
    default:
      let (answer, event) = server.handle(pdu, mtu: mtu)
      let answers: [Output] = answer.map { [.send($0.encoded)] } ?? []
      switch event {
      case nil: return answers
      case .written(let chunk): return answers + [.inbox(chunk)]
      case .subscribed(let isOn): return answers + [.subscribed(isOn)]
      }
    }
  }

  private mutating func refuse(_ bytes: [UInt8]) -> [Output] {
    let counted = count()
    // Requests have even opcodes; whoever sent one waits for an answer.
    guard counted.isEmpty, let opcode = bytes.first,
      opcode & (ATTPDU.Opcode.commandFlag | 1) == 0, opcode != ATTPDU.Opcode.confirmation
    else { return counted }
    return [.send(ATTPDU.error(request: opcode, handle: 0, code: .invalidPDU).encoded)]
  }

  private mutating func count() -> [Output] {
    malformed += 1
    return malformed > Self.maximumMalformed
      ? [.violation("messages that are none, or answers to nothing")] : []
  }

  private mutating func agree(on peer: UInt16) -> [Output] {
    let agreed = min(max(Int(peer), Self.smallestMTU), Self.ownMTU)
    guard agreed != mtu else { return [] }
    mtu = agreed
    return [.chunkLimit(chunkLimit)]
  }

  private mutating func outputs(of outcome: ATTClient.Outcome) -> [Output] {
    switch outcome {
    case .nothing: return []
    case .request(let pdu): return [.send(pdu.encoded)]
    case .failed(let reason): return [.clientFailed(reason)]
    case .ready(let inbox):
      peerInbox = inbox
      return [.clientReady]
    }
  }
}
