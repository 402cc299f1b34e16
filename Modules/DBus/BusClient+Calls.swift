internal import CDBus
internal import EventLoop

extension BusClient {
  /// Calls a method.
  ///
  /// `done` is told once, and never from within this call: the answer's arguments, or why there are
  /// none.
  @discardableResult
  public func call(
    _ call: MethodCall, timeout: Duration = defaultTimeout,
    _ done: @escaping @MainActor (Result<[Value], BusError>) -> Void
  ) -> Token {
    guard isConnected else { return answer(.failure(.notConnected), done) }
    return place(call, timeout: timeout, done)
  }

  /// Calls a method of the bus or, when greeted, of others.
  @discardableResult
  func place(
    _ call: MethodCall, timeout: Duration,
    _ done: @escaping @MainActor (Result<[Value], BusError>) -> Void
  ) -> Token {
    do throws(BusError) {
      guard let raw = connection?.raw else { throw .notConnected }
      guard pending.count < Self.maximumCalls,
        dbus_connection_get_outgoing_size(raw) < Self.maximumOutgoing
      else { throw .overloaded }
      let message = try Message.methodCall(call)
      return try track(message, on: raw, milliseconds(timeout), done)
    } catch {
      return answer(.failure(error), done)
    }
  }

  private func milliseconds(_ timeout: Duration) -> CInt {
    let (seconds, fraction) = timeout.components
    let whole = CInt(clamping: seconds.multipliedReportingOverflow(by: 1_000).partialValue)
    // Six hours are libdbus's longest.
    return min(max(1, whole + CInt(fraction / 1_000_000_000_000_000)), 21_600_000)
  }

  private func track(
    _ message: Message, on raw: OpaquePointer, _ timeout: CInt,
    _ done: @escaping @MainActor (Result<[Value], BusError>) -> Void
  ) throws(BusError) -> Token {
    var awaited: OpaquePointer?
    guard dbus_connection_send_with_reply(raw, message.raw, &awaited, timeout) != 0 else {
      throw .overloaded
    }
    // None for a connection that broke and has not said so yet, nor where descriptors cannot go.
    guard let awaited else { throw .lost }
    let token = nextToken()
    let context = Unmanaged.passRetained(CallContext(client: self, number: token.number))
    let isSet = dbus_pending_call_set_notify(
      awaited,
      { _, context in
        let context = UInt(bitPattern: context)
        MainActor.assumeIsolated {
          guard let context = UnsafeRawPointer(bitPattern: context) else { return }
          let call = Unmanaged<CallContext>.fromOpaque(context).takeUnretainedValue()
          call.client?.completed(call.number)
        }
      }, context.toOpaque(),
      { context in
        if let context { Unmanaged<CallContext>.fromOpaque(context).release() }
      })
    guard isSet != 0 else {
      context.release()
      dbus_pending_call_cancel(awaited)
      dbus_pending_call_unref(awaited)
      throw .overloaded
    }
    pending[token.number] = Pending(raw: awaited, done: done)
    return token
  }

  /// Gives an answer known already, in a turn of its own.
  private func answer(
    _ result: Result<[Value], BusError>,
    _ done: @escaping @MainActor (Result<[Value], BusError>) -> Void
  ) -> Token {
    let token = nextToken()
    pending[token.number] = Pending(raw: nil, done: done)
    EventLoop.main.nextTurn { [weak self] in
      self?.pending.removeValue(forKey: token.number)?.done(result)
    }
    return token
  }

  private func completed(_ number: UInt64) {
    guard let call = pending.removeValue(forKey: number), let raw = call.raw else { return }
    let reply = Message(dbus_pending_call_steal_reply(raw))
    dbus_pending_call_unref(raw)
    call.done(Self.result(reply))
  }

  private static func result(_ reply: Message?) -> Result<[Value], BusError> {
    guard let reply else { return .failure(.lost) }
    if reply.kind == .error {
      // libdbus makes this one itself when the time is over; a bus has a sender.
      let isOwn = reply.sender.isEmpty && reply.errorName == "org.freedesktop.DBus.Error.NoReply"
      return .failure(isOwn ? .timedOut : reply.error)
    }
    do throws(BusError) {
      return .success(try reply.arguments())
    } catch {
      return .failure(error)
    }
  }

  func cancelCall(_ number: UInt64) {
    guard let call = pending.removeValue(forKey: number), let raw = call.raw else { return }
    release(raw)
  }

  func release(_ call: OpaquePointer) {
    dbus_pending_call_cancel(call)
    dbus_pending_call_unref(call)
  }
}

/// Which call an answer is to.
@MainActor
private final class CallContext {
  weak var client: BusClient?
  let number: UInt64

  init(client: BusClient, number: UInt64) {
    self.client = client
    self.number = number
  }
}

extension BusClient {
  /// Reads one property.
  @discardableResult
  public func property(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ name: String,
    _ done: @escaping @MainActor (Result<Value, BusError>) -> Void
  ) -> Token {
    let get = MethodCall(
      destination, path, propertiesInterface, "Get", [.string(interface), .string(name)])
    return call(get) { done($0.map { $0.first?.unwrapped ?? .structure([]) }) }
  }

  /// Sends a signal, to everybody or to one.
  ///
  /// - Returns: nil when it is on its way; otherwise why it is not.
  @discardableResult
  public func emit(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [Value],
    to destination: String? = nil
  ) -> BusError? {
    guard isConnected, let raw = connection?.raw else { return .notConnected }
    guard dbus_connection_get_outgoing_size(raw) < Self.maximumOutgoing else { return .overloaded }
    do throws(BusError) {
      let message = try Message.signal(path, interface, member, arguments, to: destination)
      return dbus_connection_send(raw, message.raw, nil) != 0 ? nil : .overloaded
    } catch {
      return error
    }
  }

  /// Bytes waiting to be sent.
  public var outgoingBytes: Int {
    connection?.raw.map { Int(dbus_connection_get_outgoing_size($0)) } ?? 0
  }
}

let propertiesInterface = "org.freedesktop.DBus.Properties"
