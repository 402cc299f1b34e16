internal import Chat
internal import Terminal

// News of links and people, which others make at will: a reader that is behind gets the sum of it.

extension Node {
  func tell(_ link: LinkStatus) {
    if isHoldingNews { heldNews.hold(link) } else { front.show(.link(link)) }
  }

  func tell(_ peer: Peer) {
    if isHoldingNews { heldNews.hold(peer) } else { front.show(.peer(peer)) }
  }

  /// Tells what was held back, now that the reader has caught up.
  func tellHeldNews() {
    for event in heldNews.takeAll() { front.show(event) }
  }

  /// What came later must not be told first.
  private var isHoldingNews: Bool { front.isBehind || !heldNews.isEmpty }
}
