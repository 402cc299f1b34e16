internal import Wire

/// What the router counts: no heap, one slot a reason.
struct Counters: Sendable {
  var duplicates: UInt64 = 0
  var delivered: UInt64 = 0
  var relayed: UInt64 = 0
  private var drops: [15 of UInt64] = .init(repeating: 0)

  mutating func count(_ decision: Router.Decision) {
    guard case .accept(let deliver, let relayHopLimit) = decision else { return }
    if deliver { delivered &+= 1 }
    if relayHopLimit != nil { relayed &+= 1 }
  }

  mutating func count(_ reason: Router.DropReason) { drops[Self.slot(reason)] &+= 1 }

  func dropped(_ reason: Router.DropReason) -> Int { Int(clamping: drops[Self.slot(reason)]) }

  var list: [(name: String, value: Int)] {
    [
      ("delivered", Int(clamping: delivered)), ("relayed", Int(clamping: relayed)),
      ("duplicates", Int(clamping: duplicates)),
    ] + Router.DropReason.allCases.map { ("dropped-\($0.rawValue)", dropped($0)) }
  }

  private static func slot(_ reason: Router.DropReason) -> Int {
    switch reason {
    case .otherVersion: 0
    case .unknownKind: 1
    case .badLength: 2
    case .hopLimitOverKind: 3
    case .helloToOne: 4
    case .voiceToEveryone: 5
    case .tooOld: 6
    case .tooFarAhead: 7
    case .voiceForAnother: 8
    case .badSignature: 9
    case .overShare: 10
    case .overHelloShare: 11
    case .overVoiceShare: 12
    case .unknownLink: 13
    case .overRelayShare: 14
    }
  }
}

extension Router.DropReason {
  init(_ refusal: PacketRefusal) {
    switch refusal {
    case .otherVersion: self = .otherVersion
    case .unknownKind: self = .unknownKind
    case .badLength: self = .badLength
    }
  }
}
