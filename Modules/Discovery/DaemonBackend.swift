internal import CAvahi

/// libavahi-client: the system's avahi-daemon, over D-Bus.
final class DaemonBackend: AvahiBackend {
  let name = "avahi-daemon"
  private var client: OpaquePointer?
  private unowned let responder: Responder
  private let calls: airlink_avahi_client

  /// Nil where libavahi-client is not installed.
  init?(for responder: Responder) {
    guard let calls = airlink_avahi_client() else { return nil }
    self.calls = calls.pointee
    self.responder = responder
  }

  func open(_ api: UnsafePointer<AvahiPoll>) -> CInt {
    var error: CInt = 0
    // NO_FAIL waits for a daemon that is not there yet; a system bus that is not there is an error
    // all the same. Tells its first state from within, before `client` is set.
    client = calls.avahi_client_new(
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
    if let client { calls.avahi_client_free(client) }
    client = nil
  }

  /// The daemon follows the interfaces itself.
  func networkChanged() {}

  func openBrowser(_ context: BrowserContext) -> OpaquePointer? {
    calls.avahi_service_browser_new(
      client, anyInterface, anyFamily, context.type.description, avahiDomain,
      AvahiLookupFlags(0), browserCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(browser: OpaquePointer) { _ = calls.avahi_service_browser_free(browser) }

  func openGroup(_ context: GroupContext) -> OpaquePointer? {
    calls.avahi_entry_group_new(
      client, groupCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func publish(_ service: PublishedService, in group: OpaquePointer) -> CInt {
    let error = calls.avahi_entry_group_add_service_strlst(
      group, anyInterface, anyFamily, AvahiPublishFlags(0), service.name,
      service.type.description, avahiDomain, nil, service.port, nil)
    return error == 0 ? calls.avahi_entry_group_commit(group) : error
  }

  func close(group: OpaquePointer) { _ = calls.avahi_entry_group_free(group) }

  func openResolver(_ context: ResolverContext) -> OpaquePointer? {
    let sighting = context.sighting
    return calls.avahi_service_resolver_new(
      client, AvahiIfIndex(clamping: sighting.interface), sighting.family.avahi, sighting.name,
      sighting.type.description, avahiDomain, sighting.family.avahi, AVAHI_LOOKUP_NO_TXT,
      resolverCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(resolver: OpaquePointer) { _ = calls.avahi_service_resolver_free(resolver) }

  var lastError: CInt { client.map { calls.avahi_client_errno($0) } ?? 0 }
}
