/// What kind of service a name is of, as DNS-SD writes it: `_airlink._tcp` (RFC 6763, section 7).
public struct ServiceType: Hashable, Sendable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }

  /// AirLink's links over TCP (PROTOCOL, section 8).
  public static let airlink = ServiceType("_airlink._tcp")
}

/// One place where a service was seen: its name, on one interface, by one of the two protocols.
///
/// A service on a host with two interfaces that we share and both protocols is seen four times.
public struct ServiceSighting: Hashable, Sendable, CustomStringConvertible {
  public enum Family: Hashable, Sendable { case v4, v6 }

  public let type: ServiceType
  /// The instance name, as it came from the network.
  public let name: String
  /// The index of the interface it was seen on.
  public let interface: UInt32
  public let family: Family

  public init(type: ServiceType, name: String, interface: UInt32, family: Family) {
    self.type = type
    self.name = name
    self.interface = interface
    self.family = family
  }

  public var description: String { "\(name).\(type) on \(interface) by IP\(family)" }
}

/// A service of our own: what is published.
public struct PublishedService: Hashable, Sendable {
  public let type: ServiceType
  public let name: String
  public let port: UInt16

  public init(type: ServiceType, name: String, port: UInt16) {
    self.type = type
    self.name = name
    self.port = port
  }
}

/// What discovery tells the one that uses it, all on the main actor.
@MainActor
public protocol ServiceDiscoveryObserver: AnyObject {
  /// A service is announced there.
  func serviceSeen(_ sighting: ServiceSighting)
  /// It is announced there no more. No sign that its host is gone.
  func serviceGone(_ sighting: ServiceSighting)
  /// Where a sighting is that `resolve` asked about; nil when it could not be found out.
  func serviceResolved(_ sighting: ServiceSighting, at endpoint: Endpoint?)
  /// Somebody else has a service of the name we published: choose another and publish that.
  func serviceNameTaken(_ service: PublishedService)
  /// Something the user should know once: a daemon that went away or came back.
  func discoveryNotice(_ notice: String)
}

/// Makes services known on the local network and finds those of others: mDNS and DNS-SD
/// (RFC 6762, RFC 6763), which Apple calls Bonjour.
@MainActor
public protocol ServiceDiscovery: AnyObject {
  /// Begins to look for services of a type, of those whose name `accepts` takes.
  ///
  /// Names come from the network and may be anything. The observer is held weakly; it is the one
  /// who hears about what is published and resolved of this type.
  func browse(
    _ type: ServiceType, observer: any ServiceDiscoveryObserver,
    accepts: @escaping @Sendable (String) -> Bool)
  /// Looks for services of this type no more, and forgets those that were seen.
  func stopBrowsing(_ type: ServiceType)
  /// Publishes a service in place of the one of its type published before.
  func publish(_ service: PublishedService)
  /// Publishes nothing of this type any more.
  func withdraw(_ type: ServiceType)
  /// Asks where a sighting is.
  ///
  /// Answered once, by `serviceResolved`; never, when who should answer goes away meanwhile.
  func resolve(_ sighting: ServiceSighting)
  /// Interfaces or addresses of this machine came or went.
  func networkChanged()
  /// Everything of this type that is announced now.
  func sightings(of type: ServiceType) -> [ServiceSighting]
  /// Says goodbye and ends.
  func stop()
  /// Counters and bounds, by name.
  var statistics: [(name: String, value: Int)] { get }
}
