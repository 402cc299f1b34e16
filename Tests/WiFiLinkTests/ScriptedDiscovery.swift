import Discovery

/// A discovery that finds what the test says.
@MainActor
final class ScriptedDiscovery: ServiceDiscovery {
  private(set) var published: [PublishedService] = []
  private(set) var asked: [ServiceSighting] = []
  private(set) var isStopped = false
  private weak var observer: (any ServiceDiscoveryObserver)?
  private var accepts: @Sendable (String) -> Bool = { _ in false }
  private var known: [ServiceSighting: Endpoint] = [:]

  func browse(
    _ type: ServiceType, observer: any ServiceDiscoveryObserver,
    accepts: @escaping @Sendable (String) -> Bool
  ) {
    self.observer = observer
    self.accepts = accepts
  }

  func stopBrowsing(_ type: ServiceType) { observer = nil }
  func publish(_ service: PublishedService) { published.append(service) }
  func withdraw(_ type: ServiceType) {}

  func resolve(_ sighting: ServiceSighting) {
    asked.append(sighting)
    observer?.serviceResolved(sighting, at: known[sighting])
  }

  func networkChanged() {}
  func sightings(of type: ServiceType) -> [ServiceSighting] { Array(known.keys) }
  func stop() { isStopped = true }
  var statistics: [(name: String, value: Int)] { [("discovery-sightings", known.count)] }

  /// A service is seen, where its name is one that is looked for.
  func see(_ name: String, at endpoint: Endpoint, interface: UInt32 = 1) {
    let sighting = ServiceSighting(
      type: .airlink, name: name, interface: interface,
      family: endpoint.address.isV6 ? .v6 : .v4)
    guard accepts(name) else { return }
    known[sighting] = endpoint
    observer?.serviceSeen(sighting)
  }

  func lose(_ name: String) {
    for sighting in known.keys where sighting.name == name {
      known[sighting] = nil
      observer?.serviceGone(sighting)
    }
  }

  func takeName() {
    if let service = published.last { observer?.serviceNameTaken(service) }
  }
}
