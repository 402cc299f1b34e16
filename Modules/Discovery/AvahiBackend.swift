internal import CAvahi

/// One of Avahi's two libraries as `Responder` uses it: the client of the system's daemon, or the
/// core inside this process.
///
/// Its two families of functions are alike but for their names. Used on the loop's thread alone;
/// what happens is told to the responder it was made for, perhaps from within these calls.
protocol AvahiBackend: AnyObject {
  /// What people call it.
  var name: String { get }
  /// Begins; states are told to the responder as they come.
  ///
  /// - Returns: 0 or Avahi's error.
  func open(_ api: UnsafePointer<AvahiPoll>) -> CInt
  /// Frees everything that was opened, also what was not closed one by one.
  func close()

  /// Interfaces or addresses of this machine came or went.
  func networkChanged()

  func openBrowser(_ context: BrowserContext) -> OpaquePointer?
  func close(browser: OpaquePointer)
  func openGroup(_ context: GroupContext) -> OpaquePointer?
  /// Adds the service and commits.
  ///
  /// - Returns: 0 or Avahi's error.
  func publish(_ service: PublishedService, in group: OpaquePointer) -> CInt
  func close(group: OpaquePointer)
  func openResolver(_ context: ResolverContext) -> OpaquePointer?
  func close(resolver: OpaquePointer)
  /// Why the last call failed.
  var lastError: CInt { get }
}

/// Where services live: nothing is looked for, or told, beyond the local link.
let avahiDomain = "local"
/// Every interface.
let anyInterface = AvahiIfIndex(AVAHI_IF_UNSPEC)
/// IPv4 and IPv6.
let anyFamily = AvahiProtocol(AVAHI_PROTO_UNSPEC)

/// What a browser was opened for.
final class BrowserContext {
  unowned let responder: Responder
  let type: ServiceType
  var browser: OpaquePointer?

  init(_ responder: Responder, _ type: ServiceType) {
    self.responder = responder
    self.type = type
  }
}

/// What an entry group was opened for.
final class GroupContext {
  unowned let responder: Responder
  let service: PublishedService
  var group: OpaquePointer?

  init(_ responder: Responder, _ service: PublishedService) {
    self.responder = responder
    self.service = service
  }
}

/// What a resolver was opened for.
final class ResolverContext {
  unowned let responder: Responder
  let sighting: ServiceSighting
  var resolver: OpaquePointer?

  init(_ responder: Responder, _ sighting: ServiceSighting) {
    self.responder = responder
    self.sighting = sighting
  }
}

extension ServiceSighting.Family {
  init?(_ value: AvahiProtocol) {
    switch Int(value) {
    case AVAHI_PROTO_INET: self = .v4
    case AVAHI_PROTO_INET6: self = .v6
    default: return nil
    }
  }

  var avahi: AvahiProtocol {
    switch self {
    case .v4: AvahiProtocol(AVAHI_PROTO_INET)
    case .v6: AvahiProtocol(AVAHI_PROTO_INET6)
    }
  }
}

extension IPAddress {
  /// Takes the interface it was resolved on too, which a link-local address is of.
  init?(_ address: AvahiAddress, on interface: AvahiIfIndex) {
    switch Int(address.proto) {
    case AVAHI_PROTO_INET:
      self = .v4(UInt32(bigEndian: address.data.ipv4.address))
    case AVAHI_PROTO_INET6:
      let bytes = withUnsafeBytes(of: address.data.ipv6) { Array($0) }
      guard let v6 = IPAddress(v6: bytes, scope: UInt32(clamping: interface)) else { return nil }
      self = v6
    default:
      return nil
    }
  }
}

/// In place of an error of Avahi's own, all of which are negative: its library is not installed.
let avahiIsMissing: CInt = 1

/// Avahi's text for one of its errors.
func avahiText(_ error: CInt) -> String {
  if error == avahiIsMissing { return "the Avahi library is not installed" }
  return avahi_strerror(error).map { String(cString: $0) } ?? "error \(error)"
}

// The callbacks of both libraries: their types differ in nothing that Swift sees.

func browserCallback(
  _: OpaquePointer?, interface: AvahiIfIndex, family: AvahiProtocol, event: AvahiBrowserEvent,
  name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _: AvahiLookupResultFlags, context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let browser = Unmanaged<BrowserContext>.fromOpaque(context).takeUnretainedValue()
  browser.responder.browsed(
    browser, event, interface: interface, family: ServiceSighting.Family(family),
    name: name.map { String(cString: $0) })
}

func groupCallback(
  _ group: OpaquePointer?, state: AvahiEntryGroupState, context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let publication = Unmanaged<GroupContext>.fromOpaque(context).takeUnretainedValue()
  publication.responder.publicationChanged(publication, state)
}

func resolverCallback(
  _: OpaquePointer?, interface: AvahiIfIndex, _: AvahiProtocol, event: AvahiResolverEvent,
  _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _: UnsafePointer<CChar>?, address: UnsafePointer<AvahiAddress>?, port: UInt16,
  _: UnsafeMutablePointer<AvahiStringList>?, _: AvahiLookupResultFlags,
  context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let resolver = Unmanaged<ResolverContext>.fromOpaque(context).takeUnretainedValue()
  let found = event == AVAHI_RESOLVER_FOUND ? address?.pointee : nil
  resolver.responder.resolved(
    resolver,
    at: found.flatMap { IPAddress($0, on: interface) }.map { Endpoint($0, port: port) })
}
