internal import Chat
public import Link
internal import Mesh
internal import Terminal
public import Wire

extension Node: LinkObserver {
  public func linkCameUp(_ link: LinkID, _ description: LinkDescription) {
    guard let transport = transports.first(where: { $0.name == description.transport }) else {
      return
    }
    links[link] = NodeLink(transport: transport, description: description)
    tell(status(of: link, isUp: true))
    mesh.linkUp(
      link, endpoint: "\(description.transport) \(description.host)", at: clock.moment)
    carryOut()
  }

  public func linkWentDown(_ link: LinkID, because reason: LinkCloseReason) {
    guard links[link] != nil, !isStopped else { return }
    let name = links[link]?.description.name ?? ""
    tell(status(of: link, isUp: false))
    log(.info, "\(name) went down: \(reason.words)")
    links[link] = nil
    mesh.linkDown(link, at: clock.moment)
    carryOut()
  }

  public func link(_ link: LinkID, received packet: borrowing PacketView) {
    if let tap, let state = links[link] {
      tap.packetCameIn(packet, link: state.description.name)
    }
    mesh.receive(packet, from: link, at: clock.moment)
    carryOut()
  }

  public func transportNotice(_ transport: String, _ notice: String) { log(.warning, notice) }

  /// Something that only those want to hear who ask for it, such as a radio that is not there.
  public func transportRemark(_ remark: String) { log(.info, remark) }

  func status(of link: LinkID, isUp: Bool) -> LinkStatus {
    let state = links[link]
    return LinkStatus(
      isUp: isUp, link: state?.description.name ?? "\(link)",
      transport: state?.description.transport ?? "", number: state?.claimedBy?.number,
      remote: state?.description.remote)
  }
}

extension LinkCloseReason {
  /// The reason as it stands behind "went down: ".
  fileprivate var words: String {
    switch self {
    case .lost(let how): how
    case .replaced: "a newer link to the same person took its place"
    case .misbehaved(let how): how
    case .stopping: "the node stops"
    }
  }
}
