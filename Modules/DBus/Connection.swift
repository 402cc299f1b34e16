internal import CDBus
internal import EventLoop

/// One connection of libdbus, served by the main loop.
///
/// Messages are handed to `receive` in the order in which they came, at most `messagesPerTurn` of
/// them in one turn of the loop.
@MainActor
final class Connection {
  /// Messages looked at before others have their turn.
  static let messagesPerTurn = 32
  /// Bytes of one message: all objects of a bluetoothd that knows thousands of devices are less.
  static let maximumMessage = 8 << 20
  /// Bytes received and not looked at yet, after which no more is read.
  static let maximumReceived = 1 << 20
  /// Descriptors in one message.
  static let maximumDescriptors = 4
  /// Pause before going on when there was no memory.
  private static let memoryPause = Duration.milliseconds(100)

  private struct Watched {
    var watch: OpaquePointer
    var descriptor: CInt
  }

  /// Nil once closed.
  private(set) var raw: OpaquePointer?
  private let receive: @MainActor (Message) -> Bool
  private var watches: [Watched] = []
  private var sources: [CInt: (watch: EventLoop.Watch, interest: EventLoop.Interest)] = [:]
  private var timers: [OpaquePointer: EventLoop.Timer] = [:]
  private var isDispatchDue = false

  /// Takes over a private connection.
  ///
  /// `receive` looks at one message and says whether it was for somebody; nobody's method calls are
  /// answered with an error.
  init?(_ raw: OpaquePointer, _ receive: @escaping @MainActor (Message) -> Bool) {
    self.raw = raw
    self.receive = receive
    dbus_connection_set_exit_on_disconnect(raw, 0)
    dbus_connection_set_max_message_size(raw, Self.maximumMessage)
    dbus_connection_set_max_received_size(raw, Self.maximumReceived)
    dbus_connection_set_max_message_unix_fds(raw, Self.maximumDescriptors)
    guard serveWatches(raw), serveTimeouts(raw), serveMessages(raw) else {
      close()
      return nil
    }
    scheduleDispatch()
  }

  isolated deinit { close() }

  /// Closes the connection; nothing is told afterwards.
  func close() {
    guard let raw else { return }
    self.raw = nil
    // Each takes back what it had given out.
    _ = dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
    _ = dbus_connection_set_timeout_functions(raw, nil, nil, nil, nil, nil)
    dbus_connection_set_dispatch_status_function(raw, nil, nil, nil)
    for (_, source) in sources { EventLoop.main.unwatch(source.watch) }
    for (_, timer) in timers { EventLoop.main.cancel(timer) }
    (watches, sources, timers) = ([], [:], [:])
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
  }

  // MARK: Descriptors

  private func serveWatches(_ raw: OpaquePointer) -> Bool {
    dbus_connection_set_watch_functions(
      raw,
      { watch, context in
        Connection.on(context, watch) { $0.add(watch: $1) } ? 1 : 0
      },
      { watch, context in
        _ = Connection.on(context, watch) {
          $0.remove(watch: $1)
          return true
        }
      },
      { watch, context in
        _ = Connection.on(context, watch) {
          $0.toggled(watch: $1)
          return true
        }
      },
      Unmanaged.passUnretained(self).toOpaque(), nil) != 0
  }

  /// Leads a call of libdbus, which calls on the main thread alone, to the connection it is about.
  private nonisolated static func on(
    _ context: UnsafeMutableRawPointer?, _ object: OpaquePointer?,
    _ work: @MainActor (Connection, OpaquePointer) -> Bool
  ) -> Bool {
    let (context, object) = (UInt(bitPattern: context), UInt(bitPattern: object))
    return MainActor.assumeIsolated {
      guard let context = UnsafeRawPointer(bitPattern: context),
        let object = OpaquePointer(bitPattern: object)
      else { return false }
      return work(Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue(), object)
    }
  }

  private func add(watch: OpaquePointer) -> Bool {
    let descriptor = dbus_watch_get_unix_fd(watch)
    watches.append(Watched(watch: watch, descriptor: descriptor))
    return update(descriptor)
  }

  private func remove(watch: OpaquePointer) {
    guard let index = watches.firstIndex(where: { $0.watch == watch }) else { return }
    let descriptor = watches.remove(at: index).descriptor
    _ = update(descriptor)
  }

  private func toggled(watch: OpaquePointer) {
    guard let watched = watches.first(where: { $0.watch == watch }) else { return }
    _ = update(watched.descriptor)
  }

  /// Watches a descriptor for what libdbus wants of it now: it has one watch for reading and one for
  /// writing, and the loop has one for each descriptor.
  private func update(_ descriptor: CInt) -> Bool {
    var flags: UInt32 = 0
    for watched in watches where watched.descriptor == descriptor {
      if dbus_watch_get_enabled(watched.watch) != 0 {
        flags |= dbus_watch_get_flags(watched.watch)
      }
    }
    let wanted: EventLoop.Interest? =
      switch (flags & DBUS_WATCH_READABLE.rawValue != 0, flags & DBUS_WATCH_WRITABLE.rawValue != 0)
      {
      case (true, true): .readAndWrite
      case (true, false): .read
      case (false, true): .write
      // Not even for its end, which would be told over and over.
      case (false, false): nil
      }
    if let source = sources[descriptor] {
      if source.interest == wanted { return true }
      guard let wanted else {
        EventLoop.main.unwatch(source.watch)
        sources[descriptor] = nil
        return true
      }
      EventLoop.main.change(source.watch, to: wanted)
      sources[descriptor]?.interest = wanted
      return true
    }
    guard let wanted else { return true }
    let watch = EventLoop.main.watch(descriptor, for: wanted) { [weak self] readiness in
      self?.ready(descriptor, readiness)
    }
    guard let watch else { return false }
    sources[descriptor] = (watch, wanted)
    return true
  }

  private func ready(_ descriptor: CInt, _ readiness: EventLoop.Readiness) {
    for watched in watches where watched.descriptor == descriptor {
      // Handling one may have taken away another.
      guard watches.contains(where: { $0.watch == watched.watch }),
        dbus_watch_get_enabled(watched.watch) != 0
      else { continue }
      var flags: UInt32 = 0
      if readiness.isReadable { flags |= DBUS_WATCH_READABLE.rawValue }
      if readiness.isWritable { flags |= DBUS_WATCH_WRITABLE.rawValue }
      flags &= dbus_watch_get_flags(watched.watch)
      if flags != 0 { _ = dbus_watch_handle(watched.watch, flags) }
    }
    dispatch()
  }

  // MARK: Timeouts

  private func serveTimeouts(_ raw: OpaquePointer) -> Bool {
    dbus_connection_set_timeout_functions(
      raw,
      { timeout, context in
        Connection.on(context, timeout) {
          $0.arm($1)
          return true
        } ? 1 : 0
      },
      { timeout, context in
        _ = Connection.on(context, timeout) {
          $0.disarm($1)
          return true
        }
      },
      { timeout, context in
        _ = Connection.on(context, timeout) {
          $0.arm($1)
          return true
        }
      },
      Unmanaged.passUnretained(self).toOpaque(), nil) != 0
  }

  private func arm(_ timeout: OpaquePointer) {
    disarm(timeout)
    guard dbus_timeout_get_enabled(timeout) != 0 else { return }
    let pause = Duration.milliseconds(max(1, dbus_timeout_get_interval(timeout)))
    timers[timeout] = EventLoop.main.after(pause) { [weak self] in
      guard let self, self.timers[timeout] != nil else { return }
      // Until it is taken away it comes again and again.
      self.arm(timeout)
      _ = dbus_timeout_handle(timeout)
      self.dispatch()
    }
  }

  private func disarm(_ timeout: OpaquePointer) {
    if let timer = timers.removeValue(forKey: timeout) { EventLoop.main.cancel(timer) }
  }

  // MARK: Messages

  private func serveMessages(_ raw: OpaquePointer) -> Bool {
    dbus_connection_set_dispatch_status_function(
      raw,
      { _, status, context in
        guard status != DBUS_DISPATCH_COMPLETE else { return }
        _ = Connection.on(context, OpaquePointer(bitPattern: 1)) { connection, _ in
          connection.scheduleDispatch()
          return true
        }
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    return dbus_connection_add_filter(
      raw,
      { _, message, context in
        let isHandled = Connection.on(context, message) { connection, message in
          connection.raw != nil && connection.receive(Message(keeping: message))
        }
        return isHandled ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
      }, Unmanaged.passUnretained(self).toOpaque(), nil) != 0
  }

  private func scheduleDispatch(after pause: Duration? = nil) {
    if isDispatchDue || raw == nil { return }
    isDispatchDue = true
    let work = { @MainActor [weak self] in
      self?.isDispatchDue = false
      self?.dispatch()
      return
    }
    if let pause {
      EventLoop.main.after(pause, work)
    } else {
      EventLoop.main.nextTurn(work)
    }
  }

  private func dispatch() {
    guard let raw else { return }
    // What is received may close this connection.
    dbus_connection_ref(raw)
    defer { dbus_connection_unref(raw) }
    for _ in 0..<Self.messagesPerTurn {
      guard self.raw != nil, dbus_connection_get_dispatch_status(raw) != DBUS_DISPATCH_COMPLETE
      else { return }
      if dbus_connection_dispatch(raw) == DBUS_DISPATCH_NEED_MEMORY {
        return scheduleDispatch(after: Self.memoryPause)
      }
    }
    if dbus_connection_get_dispatch_status(raw) != DBUS_DISPATCH_COMPLETE { scheduleDispatch() }
  }
}
