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
    front.show(.link(status(of: link, isUp: true)))
    mesh.linkUp(
      link, endpoint: "\(description.transport) \(description.host)", at: clock.moment)
    carryOut()
  }

  public func linkWentDown(_ link: LinkID, because reason: LinkCloseReason) {
    guard links[link] != nil, !isStopped else { return }
    front.show(.link(status(of: link, isUp: false)))
    links[link] = nil
    mesh.linkDown(link, at: clock.moment)
    carryOut()
  }

  public func link(_ link: LinkID, received packet: borrowing PacketView) {
    mesh.receive(packet, from: link, at: clock.moment)
    carryOut()
  }

  public func transportNotice(_ transport: String, _ notice: String) { front.notice(notice) }

  func status(of link: LinkID, isUp: Bool) -> LinkStatus {
    let state = links[link]
    return LinkStatus(
      isUp: isUp, link: state?.description.name ?? "\(link)",
      transport: state?.description.transport ?? "", number: state?.claimedBy?.number,
      remote: state?.description.remote)
  }
}
