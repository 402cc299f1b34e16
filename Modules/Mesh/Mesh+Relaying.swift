internal import Router
internal import Wire

extension Mesh {
  /// Relays a packet on every link but the one it came in on, at once or after the policy's wait.
  mutating func relay(
    _ packet: borrowing PacketView, hopLimit: UInt8, from link: LinkID, at moment: Moment
  ) {
    guard links.count > 1 else { return }
    guard let range = policy.relayWait, !waitingRelays.isFull else {
      effects.append(
        .send(Packet(copying: packet, hopLimit: hopLimit), on: links.others(than: link)))
      return
    }
    let wait = cryptography.random(in: range)
    waitingRelays.add(
      Packet(copying: packet), hopLimit: hopLimit, from: link, due: moment.instant + wait)
  }

  /// Relays what has waited on the links that have brought no copy since.
  mutating func relay(_ waiting: WaitingRelays.Waiting) {
    let open = links.ids.filter { !waiting.had.contains($0) }
    guard !open.isEmpty else {
      counters.relaysSpared += 1
      return
    }
    effects.append(.send(Packet(waiting.packet, hopLimit: waiting.hopLimit), on: open))
  }
}
