internal import CAvahi
internal import Glibc

/// libavahi-client: the system's avahi-daemon, over D-Bus.
final class DaemonBackend: AvahiBackend {
  let name = "avahi-daemon"
  private var client: OpaquePointer?
  private unowned let responder: Responder

  init(for responder: Responder) { self.responder = responder }

  func open(_ api: UnsafePointer<AvahiPoll>) -> CInt {
    var error: CInt = 0
    // NO_FAIL waits for a daemon that is not there yet; a system bus that is not there is an error
    // all the same. Tells its first state from within, before `client` is set.
    client = avahi_client_new(
      api, AVAHI_CLIENT_NO_FAIL,
      { client, state, context in
        guard let client, let context else { return }
        let backend = Unmanaged<DaemonBackend>.fromOpaque(context).takeUnretainedValue()
        backend.client = client
        backend.stateChanged(state)
      }, Unmanaged.passUnretained(self).toOpaque(), &error)
    return client == nil ? error : 0
  }

  private func stateChanged(_ state: AvahiClientState) {
    switch state {
    case AVAHI_CLIENT_S_RUNNING: responder.stateChanged(.running)
    case AVAHI_CLIENT_CONNECTING: responder.stateChanged(.absent)
    case AVAHI_CLIENT_FAILURE: responder.stateChanged(.failed(lastError))
    default: responder.stateChanged(.registering)
    }
  }

  func close() {
    if let client { avahi_client_free(client) }
    client = nil
  }

  /// The daemon follows the interfaces itself.
  func networkChanged() {}

  func openBrowser(_ context: BrowserContext) -> OpaquePointer? {
    avahi_service_browser_new(
      client, anyInterface, anyFamily, context.type.description, avahiDomain,
      AvahiLookupFlags(0), browserCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(browser: OpaquePointer) { avahi_service_browser_free(browser) }

  func openGroup(_ context: GroupContext) -> OpaquePointer? {
    avahi_entry_group_new(
      client, groupCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func publish(_ service: PublishedService, in group: OpaquePointer) -> CInt {
    let error = avahi_entry_group_add_service_strlst(
      group, anyInterface, anyFamily, AvahiPublishFlags(0), service.name,
      service.type.description, avahiDomain, nil, service.port, nil)
    return error == 0 ? avahi_entry_group_commit(group) : error
  }

  func close(group: OpaquePointer) { _ = Self.freeGroup?(group) }

  /// The client library's own `avahi_entry_group_free`.
  ///
  /// libavahi-core exports a function of the same name with other arguments, and stands first in
  /// the link order: by name alone this call would go there. Every group is closed before the
  /// client is, because `avahi_client_free` would call it by name for those that are left.
  private static let freeGroup: (@convention(c) (OpaquePointer) -> CInt)? = {
    guard let library = dlopen("libavahi-client.so.3", RTLD_LAZY | RTLD_NOLOAD),
      let symbol = dlsym(library, "avahi_entry_group_free")
    else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (OpaquePointer) -> CInt).self)
  }()

  func openResolver(_ context: ResolverContext) -> OpaquePointer? {
    let sighting = context.sighting
    return avahi_service_resolver_new(
      client, AvahiIfIndex(clamping: sighting.interface), sighting.family.avahi, sighting.name,
      sighting.type.description, avahiDomain, sighting.family.avahi, AVAHI_LOOKUP_NO_TXT,
      resolverCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(resolver: OpaquePointer) { avahi_service_resolver_free(resolver) }

  var lastError: CInt { client.map { avahi_client_errno($0) } ?? 0 }
}
