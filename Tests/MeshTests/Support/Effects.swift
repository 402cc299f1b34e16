import CallSignal
import Identity
import Mesh
import Outbox
import Wire

/// Somebody as an effect told of them.
struct Told: Hashable {
  var keys: PublicKeys
  var name: String
  var isDirect: Bool
  var isNew: Bool
}

extension [MeshEffect] {
  var sends: [(packet: Packet, links: [LinkID])] {
    compactMap { if case .send(let packet, let links) = $0 { (packet, links) } else { nil } }
  }
  func sends(_ kind: PacketKind) -> [(packet: Packet, links: [LinkID])] {
    sends.filter { $0.packet.header.kind == kind }
  }
  /// Hellos of these keys.
  func hellos(of keys: PublicKeys) -> [(packet: Packet, links: [LinkID])] {
    sends(.hello).filter { (try? Hello(payload: $0.packet.view.payload))?.keys == keys }
  }
  var callStates: [CallReport.State] {
    compactMap { if case .call(let report) = $0 { report.state } else { nil } }
  }
  /// The sound that came, without what stands for silence.
  var played: [[UInt8]] {
    compactMap { if case .play(_, let opus) = $0, opus != [0x68] { opus } else { nil } }
  }
  var direct: [[UInt8]] {
    compactMap { if case .sendDirectly(let frame) = $0 { frame } else { nil } }
  }
  var shown: [ReceivedText] {
    compactMap { if case .show(let text) = $0 { text } else { nil } }
  }
  var texts: [String] { shown.map(\.text) }
  var remembered: [ReceivedRecord] {
    compactMap { if case .remember(let record) = $0 { record } else { nil } }
  }
  var states: [MessageState] {
    compactMap { if case .state(_, let state) = $0 { state } else { nil } }
  }
  var people: [Told] {
    compactMap {
      guard case .person(let person, let isNew) = $0 else { return nil }
      return Told(
        keys: person.keys, name: person.name, isDirect: person.isDirect, isNew: isNew)
    }
  }
  var claims: [Fingerprint] {
    compactMap { if case .claimed(_, let fingerprint) = $0 { fingerprint } else { nil } }
  }
  var closed: [LinkID] {
    compactMap { if case .close(let link, _) = $0 { link } else { nil } }
  }
  var changes: [ContactChange] {
    compactMap { if case .contacts(let change) = $0 { change } else { nil } }
  }
  var warnings: [MeshWarning] {
    compactMap { if case .warning(let warning) = $0 { warning } else { nil } }
  }
}
