/// Every case, in the order in which they are measured.
///
/// To add one: a case here, a file in `Cases` with its subject, and its goals in `Goals.swift`.
enum CaseName: String, CaseIterable, Sendable {
  case seal256 = "seal-256"
  case open256 = "open-256"
  case seal8192 = "seal-8192"
  case open8192 = "open-8192"
  case crc32c = "crc32c"
  case crc32cPortable = "crc32c-portable"
  case packetDecode = "packet-decode"
  case chunker
  case bluetoothChunk = "bluetooth-chunk"
  case routerCopy = "router-copy"
  case routerRelay = "router-relay"
  case routerDeliver = "router-deliver"
  case meshCopy = "mesh-copy"
  case meshRelay = "mesh-relay"
  case meshReceipt = "mesh-receipt"
  case callFrame = "call-frame"
  case textReceipt = "text-receipt"
  case confirmed1 = "confirmed-1"
  case confirmed16 = "confirmed-16"
  case confirmed256 = "confirmed-256"
  case idle

  /// Whether nodes are started for it, beside this process.
  var takesNodes: Bool {
    switch self {
    case .textReceipt, .confirmed1, .confirmed16, .confirmed256, .idle: true
    default: false
    }
  }

  var subject: Subject {
    switch self {
    case .seal256: SealCases.seal(bucket: 256)
    case .open256: SealCases.open(bucket: 256)
    case .seal8192: SealCases.seal(bucket: 8_192)
    case .open8192: SealCases.open(bucket: 8_192)
    case .crc32c: ChecksumCases.accelerated
    case .crc32cPortable: ChecksumCases.portable
    case .packetDecode: PacketCases.decode
    case .chunker: ChunkerCase.slices
    case .bluetoothChunk: BluetoothCase.chunks
    case .routerCopy: RouterCases.copies
    case .routerRelay: RouterCases.relays
    case .routerDeliver: RouterCases.deliveries
    case .meshCopy: MeshCases.copies
    case .meshRelay: MeshCases.relays
    case .meshReceipt: MeshReceiptCase.receipt
    case .callFrame: CallFrameCase.frame
    case .textReceipt: TalkCases.receipt
    case .confirmed1: TalkCases.confirmed(inFlight: 1)
    case .confirmed16: TalkCases.confirmed(inFlight: 16)
    case .confirmed256: TalkCases.confirmed(inFlight: 256)
    case .idle: IdleCase.node
    }
  }
}

/// What a case measures.
struct Subject: Sendable {
  /// One line: what one operation is.
  let summary: String
  /// What it is held against, as it reads after "times".
  let limit: String
  /// Measures for about this long.
  let measure: @Sendable (Duration) async throws -> Measurement
}
