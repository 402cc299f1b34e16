internal import CAvahi
internal import CLinux
internal import Glibc

/// libavahi-core: a whole mDNS stack in this process, which needs neither a daemon nor D-Bus.
///
/// It shares port 5353 with other stacks of the machine.
final class EmbeddedBackend: AvahiBackend {
  let name = "the built-in mDNS stack"
  private var server: OpaquePointer?
  private var addresses: EmbeddedAddresses?
  private unowned let responder: Responder
  private let calls: airlink_avahi_core
  private var hostLabel: String
  private var random: any RandomNumberGenerator

  /// Goes by a host name, without `.local`, that nobody else has; `random` is for another one,
  /// should somebody have it after all.
  ///
  /// Nil where libavahi-core is not installed.
  init?(for responder: Responder, hostLabel: String, random: any RandomNumberGenerator) {
    guard let calls = airlink_avahi_core() else { return nil }
    self.calls = calls.pointee
    self.responder = responder
    self.hostLabel = hostLabel
    self.random = random
  }

  func open(_ api: UnsafePointer<AvahiPoll>) -> CInt {
    // It writes to stderr otherwise, about every interface that comes and goes.
    calls.avahi_set_log_function { _, _ in }
    var configuration = AvahiServerConfig()
    _ = calls.avahi_server_config_init(&configuration)
    defer { calls.avahi_server_config_free(&configuration) }
    configuration.host_name = avahi_strdup(hostLabel)
    // Our addresses under a name of this run, and nothing else about the machine.
    configuration.publish_addresses = 0  // see EmbeddedAddresses
    configuration.publish_workstation = 0
    configuration.publish_hinfo = 0
    configuration.publish_domain = 0
    configuration.enable_wide_area = 0
    guard Self.hasRoom() else { return CInt(AVAHI_ERR_OS) }
    var error: CInt = 0
    // Tells its first states from within, before `server` is set.
    server = calls.avahi_server_new(
      api, &configuration,
      { server, state, context in
        guard let server, let context else { return }
        let backend = Unmanaged<EmbeddedBackend>.fromOpaque(context).takeUnretainedValue()
        backend.server = server
        backend.stateChanged(state)
      }, Unmanaged.passUnretained(self).toOpaque(), &error)
    networkChanged()
    return server == nil ? error : 0
  }

  /// More descriptors than the library opens when it starts.
  private static let descriptorsNeeded = 16

  /// Whether there are descriptors for it: without one for its view of the interfaces the library
  /// ends the process (`avahi_interface_monitor_sync` asserts).
  private static func hasRoom() -> Bool {
    let all = (0..<descriptorsNeeded).map { _ in eventfd(0, CInt(EFD_CLOEXEC)) }
    for descriptor in all where descriptor >= 0 { Glibc.close(descriptor) }
    return all.allSatisfy { $0 >= 0 }
  }

  func networkChanged() {
    guard let server else { return }
    if addresses == nil { addresses = EmbeddedAddresses(server, calls) }
    addresses?.refresh()
  }

  private func stateChanged(_ state: AvahiServerState) {
    switch state {
    case AVAHI_SERVER_RUNNING:
      responder.stateChanged(.running)
    case AVAHI_SERVER_COLLISION:
      responder.stateChanged(.registering)
      hostLabel = "airlink-" + String(random.next(), radix: 16)
      _ = calls.avahi_server_set_host_name(server, hostLabel)
      addresses?.republish()
    case AVAHI_SERVER_FAILURE:
      responder.stateChanged(.failed(lastError))
    default:
      responder.stateChanged(.registering)
    }
  }

  func close() {
    addresses?.withdraw()
    addresses = nil
    if let server { calls.avahi_server_free(server) }
    server = nil
  }

  func openBrowser(_ context: BrowserContext) -> OpaquePointer? {
    calls.avahi_s_service_browser_new(
      server, anyInterface, anyFamily, context.type.description, avahiDomain,
      AvahiLookupFlags(0), browserCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(browser: OpaquePointer) { calls.avahi_s_service_browser_free(browser) }

  func openGroup(_ context: GroupContext) -> OpaquePointer? {
    calls.avahi_s_entry_group_new(
      server, { groupCallback($1, state: $2, context: $3) },
      Unmanaged.passUnretained(context).toOpaque())
  }

  func publish(_ service: PublishedService, in group: OpaquePointer) -> CInt {
    let error = calls.avahi_server_add_service_strlst(
      server, group, anyInterface, anyFamily, AvahiPublishFlags(0), service.name,
      service.type.description, avahiDomain, nil, service.port, nil)
    return error == 0 ? calls.avahi_s_entry_group_commit(group) : error
  }

  func close(group: OpaquePointer) { calls.avahi_s_entry_group_free(group) }

  func openResolver(_ context: ResolverContext) -> OpaquePointer? {
    let sighting = context.sighting
    return calls.avahi_s_service_resolver_new(
      server, AvahiIfIndex(clamping: sighting.interface), sighting.family.avahi, sighting.name,
      sighting.type.description, avahiDomain, sighting.family.avahi, AVAHI_LOOKUP_NO_TXT,
      resolverCallback, Unmanaged.passUnretained(context).toOpaque())
  }

  func close(resolver: OpaquePointer) { calls.avahi_s_service_resolver_free(resolver) }

  var lastError: CInt { server.map { calls.avahi_server_errno($0) } ?? 0 }
}
