internal import CallSignal
internal import Chat
internal import Mesh
internal import Outbox

// What the mesh says, in the words that people and programs get.

extension Peer {
  init(_ person: Person, isNew: Bool) {
    self.init(
      fingerprint: person.fingerprint, name: person.name, isDirect: person.isDirect, isNew: isNew,
      heard: person.heard, isVerified: person.isVerified, isBlocked: person.isBlocked,
      contradictsPin: person.contradictsPin)
  }
}

extension DeliveryStatus.State {
  init(_ state: MessageState) {
    switch state {
    case .waiting: self = .waiting
    case .sent: self = .sent
    case .delivered: self = .delivered
    case .failed(let reason):
      switch reason {
      case .patience: self = .failed(.patience)
      case .tooOld: self = .failed(.tooOld)
      case .keysChanged: self = .failed(.keysChanged)
      case .stopped: self = .failed(.stopped)
      }
    }
  }
}

extension ChatWarning {
  init(_ warning: MeshWarning) {
    switch warning {
    case .clock(let behind): self = .clock(ahead: .zero - behind)
    case .keysChanged(let kept, let seen, let name):
      self = .keysChanged(kept: kept, seen: seen, name: name)
    case .ageLimit(let id): self = .ageLimit(id)
    case .callQuiet(let peer): self = .callQuiet(peer)
    }
  }
}

extension ChatError {
  init(_ refusal: MeshRefusal) {
    switch refusal {
    case .unknownNumber(let number): self = .unknownNumber(number)
    case .ambiguous(let number, let fingerprints): self = .ambiguous(number, fingerprints)
    case .keysChanged(let number): self = .keysChanged(number)
    case .blocked(let number): self = .blocked(number)
    case .isSelf: self = .isSelf
    case .empty: self = .empty
    case .tooLong(let bytes, let limit): self = .tooLong(bytes: bytes, limit: limit)
    case .outboxFull(let messages, let limit): self = .outboxFull(messages: messages, limit: limit)
    case .busy: self = .busy
    case .noCall: self = .noCall
    case .contactsFull:
      self = .badCommand("the book of contacts is full; airlink-keytool contacts shows it")
    case .unusableKeys(let number):
      self = .badCommand("the keys that claim \(number) are broken: nothing can be sealed to them")
    }
  }
}

extension CallStatus {
  init(_ report: CallReport, _ summary: CallSummary?) {
    let state: State
    var road: CallRoad?
    switch report.state {
    case .calling: state = .calling
    case .ringing: state = .ringing
    case .connected(let carrier):
      state = .connected
      road = CallRoad(carrier)
    case .ended(let ending): state = .ended(Reason(ending))
    }
    self.init(
      state: state, peer: report.party.fingerprint, nonce: report.nonce, road: road,
      summary: summary)
  }
}

extension CallRoad {
  init(_ road: Road) {
    switch road {
    case .mesh: self = .mesh
    case .direct: self = .direct
    }
  }
}

extension CallStatus.Reason {
  init(_ ending: Ending) {
    switch ending {
    case .hungUp: self = .hungUp
    case .remoteEnded: self = .remoteEnded
    case .declined: self = .declined
    case .declinedHere: self = .declinedHere
    case .missed: self = .missed
    case .noAnswer: self = .noAnswer
    case .lost: self = .lost
    case .failed: self = .failed
    }
  }
}
