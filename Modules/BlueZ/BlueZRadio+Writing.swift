internal import BLELink
internal import DBus
internal import EventLoop
internal import Wire

/// Writes to the inbox of a device.
///
/// bluetoothd takes any number of writes at once and says nothing of how many wait in it, and it has
/// several channels to a device, on which writes overtake each other. So: a packet that is whole in
/// one chunk goes without an answer, as order does not matter to it, and a part of a longer one asks
/// for the device's answer before the next goes out. Now and then a whole one does too: then what
/// went before is through, and a slow radio never has more than that before it.
extension BlueZRadio {
  func write(_ bytes: [UInt8], _ path: ObjectPath) -> ChunkOutcome {
    guard let bus, let client = devices[path]?.client else { return .gone }
    let isFirst = client.remaining == 0
    let rest = isFirst ? Self.rest(of: bytes) : max(client.remaining - bytes.count, 0)
    let isPart = !isFirst || rest > 0
    if client.isAwaiting || isPart && client.isSettling {
      devices[path]?.client?.isWaitedFor = true
      return .full
    }
    let chunks = client.unansweredChunks + 1
    let total = client.unansweredBytes + bytes.count
    let isLast = chunks >= limits.unansweredChunks || total >= limits.unansweredBytes
    let asks = client.answers && (isPart || isLast)
    devices[path]?.client?.remaining = rest
    devices[path]?.client?.unansweredChunks = asks || isLast ? 0 : chunks
    devices[path]?.client?.unansweredBytes = asks || isLast ? 0 : total
    devices[path]?.client?.isAwaiting = asks || isPart || isLast
    if !asks { settle(client.id, path) }
    let call = to(
      client.inbox, BlueZ.characteristic, "WriteValue",
      [.bytes(bytes), .properties(["type": .string(asks ? "request" : "command")])])
    bus.call(call, timeout: limits.callTimeout) { [weak self] result in
      self?.answered(result, client.id, path, wasAwaited: asks || isPart || isLast)
    }
    return .taken
  }

  /// How many bytes of the packet that begins with this chunk are still to come.
  private static func rest(of chunk: [UInt8]) -> Int {
    // The smallest chunk holds the length (PROTOCOL, section 2).
    guard chunk.count >= 8 else { return 0 }
    let length = Int(chunk[6]) << 8 | Int(chunk[7])
    return max(PacketHeader.byteCount + length - chunk.count, 0)
  }

  /// Lets what has just gone out go ahead of what needs its order.
  private func settle(_ id: PathID, _ path: ObjectPath) {
    if devices[path]?.client?.isSettling == true {
      devices[path]?.client?.isSettlingAnew = true
      return
    }
    devices[path]?.client?.isSettling = true
    EventLoop.main.after(limits.settling) { [weak self] in
      guard let self, let client = self.devices[path]?.client, client.id == id else { return }
      self.devices[path]?.client?.isSettling = false
      if client.isSettlingAnew {
        self.devices[path]?.client?.isSettlingAnew = false
        return self.settle(id, path)
      }
      self.tellWritable(path)
    }
  }

  private func answered(
    _ result: Result<[Value], BusError>, _ id: PathID, _ path: ObjectPath, wasAwaited: Bool
  ) {
    guard let client = devices[path]?.client, client.id == id else { return }
    if case .failure(let error) = result {
      counters.failedWrites += 1
      // Once wrong is always wrong: the service went away, or the connection did.
      endClient(path, because: "writing failed: \(error)")
      bringUpClientLater(path)
      return
    }
    guard wasAwaited else { return }
    devices[path]?.client?.isAwaiting = false
    tellWritable(path)
  }

  private func tellWritable(_ path: ObjectPath) {
    guard let client = devices[path]?.client, client.isWaitedFor, !client.isAwaiting else { return }
    devices[path]?.client?.isWaitedFor = false
    observer?.pathWritable(client.id)
  }
}
