public import Discovery
internal import EventLoop
public import Wire

extension ServiceType {
  /// The direct road of calls (PROTOCOL, section 7).
  public static let airlinkCall = ServiceType("_airlinkcall._udp")
}

/// What the direct road of a call tells.
@MainActor
public protocol UDPRoadObserver: AnyObject {
  /// Takes a datagram in.
  ///
  /// - Returns: what it says of where it came from: nothing else teaches an address.
  func udpRoad(received datagram: RawSpan) -> DirectEvidence
  /// From now on there is an address to send to.
  func udpRoadHasAddress()
}

/// The direct road of a call: bare datagrams between two devices of one network, of which one
/// publishes where it is and the other looks for that.
///
/// There is one at a time. Whether a datagram is worth anything is not for this to say: it hands
/// each one on, and believes the answer.
@MainActor
public final class UDPRoad {
  public weak var observer: (any UDPRoadObserver)?

  private let discovery: () -> (any ServiceDiscovery)?
  private var socket: DatagramSocket?
  private var addresses = RoadAddresses()
  private var sought: CallNonce?
  private var isBrowsing = false
  private var isOffered = false

  /// `discovery` is asked for when it is needed; nil means that nothing is published or found.
  public init(discovery: @escaping () -> (any ServiceDiscovery)?) { self.discovery = discovery }

  /// The port that is listened at; 0 while there is no call.
  public var port: UInt16 { socket?.port ?? 0 }

  /// Publishes the road of our call under its nonce.
  public func offer(_ nonce: CallNonce) {
    leave()
    guard let discovery = discovery(), open() else { return }
    isOffered = true
    discovery.publish(
      PublishedService(type: .airlinkCall, name: nonce.description, port: port))
  }

  /// Looks for the road of this nonce.
  public func join(_ nonce: CallNonce) {
    leave()
    guard let discovery = discovery(), open() else { return }
    sought = nonce
    isBrowsing = true
    discovery.browse(.airlinkCall, observer: self) { CallNonce($0.utf8) != nil }
    for sighting in discovery.sightings(of: .airlinkCall) { serviceSeen(sighting) }
  }

  /// Gives up whatever was offered or joined.
  public func leave() {
    if isOffered { discovery()?.withdraw(.airlinkCall) }
    isOffered = false
    if isBrowsing { discovery()?.stopBrowsing(.airlinkCall) }
    isBrowsing = false
    sought = nil
    socket?.close()
    socket = nil
    addresses = RoadAddresses()
  }

  /// Sends one frame to wherever the other side is taken to be.
  public func send(_ frame: [UInt8]) {
    guard let socket else { return }
    for endpoint in addresses.targets(at: MonotonicClock.now()) {
      socket.send(frame, to: endpoint)
    }
  }

  private func open() -> Bool {
    socket = DatagramSocket { [weak self] in self?.received($0, from: $1) }
    return socket != nil
  }

  private func received(_ datagram: RawSpan, from endpoint: Endpoint) {
    guard VoiceFrame.lengths.contains(datagram.byteCount), let observer else { return }
    let evidence = observer.udpRoad(received: datagram)
    // The frame may have been the last of its call.
    guard socket != nil else { return }
    switch evidence {
    case .proof: learn { $0.prove(endpoint, at: MonotonicClock.now()) }
    case .hint: learn { $0.hint(at: endpoint, at: MonotonicClock.now()) }
    case .none: break
    }
  }

  private func learn(_ change: (inout RoadAddresses) -> Void) {
    let knewNone = addresses.isEmpty
    change(&addresses)
    if knewNone, !addresses.isEmpty { observer?.udpRoadHasAddress() }
  }
}

extension UDPRoad: ServiceDiscoveryObserver {
  public func serviceSeen(_ sighting: ServiceSighting) {
    guard let sought, sighting.type == .airlinkCall, sighting.name == sought.description else {
      return
    }
    discovery()?.resolve(sighting)
  }

  /// No sign that the caller is gone: only frames tell.
  public func serviceGone(_ sighting: ServiceSighting) {}

  public func serviceResolved(_ sighting: ServiceSighting, at endpoint: Endpoint?) {
    guard let endpoint, let sought, sighting.name == sought.description else { return }
    learn { $0.guess(endpoint) }
  }

  /// Somebody else publishes our nonce; the call goes over the mesh.
  public func serviceNameTaken(_ service: PublishedService) {
    discovery()?.withdraw(.airlinkCall)
    isOffered = false
  }

  /// Told to the links already.
  public func discoveryNotice(_ notice: String) {}
}
