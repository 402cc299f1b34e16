internal import Discovery
internal import EventLoop
internal import Glibc
internal import Link
internal import Wire

/// Carrying out what the policy wants.
extension WiFiLink {
  func carryOut(_ effect: WiFiEffect) {
    switch effect {
    case .dial(let dial, let endpoint, let interface): begin(dial, endpoint, interface)
    case .cancel(let dial): cancel(dial)
    case .resolve(let sighting): discovery?.resolve(sighting)
    case .lookUp(let peer): lookUp(peer)
    case .announce(let link): announce(link)
    case .refuse(let link): shut(link, because: nil)
    case .close(let link, let reason): shut(link, because: reason)
    case .probe(let link):
      if let link = links[link] { TCPSocket.setProbing(link.descriptor, true) }
    case .settle(let link):
      if let link = links[link] { TCPSocket.setProbing(link.descriptor, false) }
    case .tellOurselves(let peer):
      observer?.transportNotice(
        name, "--peer \(configuration.peers[peer]) is this node itself; it is not dialled")
    case .tellUnreachable(let peer, let isFound):
      let named = configuration.peers[peer]
      observer?.transportNotice(
        name,
        isFound
          ? "nobody answers at --peer \(named) yet; it is tried again and again"
          : "no address is known for --peer \(named) yet; it is looked up again and again")
    }
  }

  // MARK: Dialling

  private func begin(_ dial: DialID, _ endpoint: Endpoint, _ interface: UInt32) {
    guard isRunning else { return }
    do throws(TCPSocket.Failure) {
      let descriptor = try TCPSocket.connect(to: endpoint, interface: interface)
      let watch = EventLoop.main.watch(descriptor, for: .write) { [weak self] _ in
        self?.ready(dial)
      }
      guard let watch else {
        Glibc.close(descriptor)
        throw .exhausted(ENOMEM)
      }
      dials[dial] = Dial(descriptor: descriptor, watch: watch)
    } catch {
      failed(dial)
    }
  }

  private func failed(_ dial: DialID) {
    counters.dialsFailed += 1
    tell { $0.dialFailed(dial, now: $1) }
  }

  private func cancel(_ dial: DialID) {
    guard let state = dials.removeValue(forKey: dial) else { return }
    EventLoop.main.unwatch(state.watch)
    Glibc.close(state.descriptor)
  }

  private func ready(_ dial: DialID) {
    guard let state = dials.removeValue(forKey: dial) else { return }
    EventLoop.main.unwatch(state.watch)
    let descriptor = state.descriptor
    guard TCPSocket.connectError(descriptor) == nil,
      let local = Endpoint(descriptor, by: getsockname),
      let remote = Endpoint(descriptor, by: getpeername),
      // Two ends of one socket: TCP lets a port of this machine connect to itself.
      local != remote
    else {
      Glibc.close(descriptor)
      return failed(dial)
    }
    guard let link = adopt(descriptor) else { return failed(dial) }
    tell { $0.dialled(dial, link, local: local, remote: remote, now: $1) }
  }

  private func lookUp(_ peer: Int) {
    let place = configuration.peers[peer]
    switch place.host {
    case .address(let address, let scope):
      let found = scoped(address, scope).map { Endpoint($0, port: place.port) }
      tell { $0.lookedUp(peer: peer, found, now: $1) }
    case .name(let name):
      lookup.find(name, port: place.port) { [weak self] found in
        self?.tell { $0.lookedUp(peer: peer, found, now: $1) }
      }
    }
  }

  /// An address on the interface that was written with it, or on any where it needs one.
  private func scoped(_ address: IPAddress, _ scope: String?) -> [IPAddress] {
    guard address.isV6, address.isLinkLocal else { return [address] }
    if let scope { return InterfaceMonitor.index(of: scope).map { [address.scoped(to: $0)] } ?? [] }
    return policy.network.addresses.filter { $0.address.isV6 && $0.address.isLinkLocal }
      .map(\.interface).sorted().map { address.scoped(to: $0) }
  }

  // MARK: Links

  /// Somebody has connected.
  func accepted(_ descriptor: CInt) {
    guard let local = Endpoint(descriptor, by: getsockname),
      let remote = Endpoint(descriptor, by: getpeername)
    else {
      Glibc.close(descriptor)
      return
    }
    guard let link = adopt(descriptor) else { return }
    tell { $0.accepted(link, local: local, remote: remote, now: $1) }
  }

  /// Takes a connected socket under a new link's name; the policy says what becomes of it.
  ///
  /// Nil, and the socket closed, when the system has no memory left to watch it.
  private func adopt(_ descriptor: CInt) -> LinkID? {
    let id = configuration.nextLinkID()
    let watch =
      isRunning
      ? EventLoop.main.watch(descriptor, for: .read) { [weak self] in self?.serve(id, $0) } : nil
    guard let watch else {
      Glibc.close(descriptor)
      return nil
    }
    links[id] = LinkSocket(
      id, descriptor, watch: watch, limits: limits, now: MonotonicClock.now())
    return id
  }

  private func announce(_ link: LinkID) {
    guard let socket = links[link], let entry = policy.links[link] else { return }
    socket.isAnnounced = true
    observer?.linkCameUp(
      link,
      LinkDescription(
        name: "\(name)-\(link.rawValue)", transport: name, remote: text(entry.remote),
        host: entry.host == .ourselves ? "this host" : text(entry.remote.address)))
  }

  /// A link is over: tells the policy, then those above.
  func end(_ link: LinkID, because reason: LinkCloseReason) {
    guard links[link] != nil else { return }
    shut(link, because: reason)
    tell { $0.ended(link, because: reason, now: $1) }
  }

  /// Closes a socket and, if they knew of the link, tells those above.
  func shut(_ link: LinkID, because reason: LinkCloseReason?) {
    guard let socket = links.removeValue(forKey: link) else { return }
    blocked.remove(link)
    EventLoop.main.unwatch(socket.watch)
    socket.close()
    counters.shed += socket.queue.shed
    counters.shedVoice += socket.queue.shedVoice
    guard socket.isAnnounced, let reason else {
      counters.refused += 1
      return
    }
    counters.closed.note(reason)
    observer?.linkWentDown(link, because: reason)
  }

  // MARK: Text

  private func text(_ endpoint: Endpoint) -> String {
    let address = text(endpoint.address)
    return endpoint.address.isV6 ? "[\(address)]:\(endpoint.port)" : "\(address):\(endpoint.port)"
  }

  /// The address, its interface by name.
  private func text(_ address: IPAddress) -> String {
    guard address.scope != 0 else { return address.description }
    let name = InterfaceMonitor.name(of: address.scope) ?? "\(address.scope)"
    return "\(address.withoutScope)%\(name)"
  }
}
