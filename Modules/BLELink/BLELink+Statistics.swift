public import Link
public import Wire

extension BLELink {
  public var statistics: [(name: String, value: Int)] {
    let queues = policy.links.values.map(\.queue)
    let counters = policy.counters
    return [
      ("adapters", policy.adapters.count),
      ("adapters-scanning", policy.adapters.values.count { $0.isScanning }),
      ("adapters-advertising", policy.adapters.values.count { $0.isAdvertising }),
      ("links", policy.links.count),
      ("paths", policy.paths.count),
      ("devices", policy.devices.count),
      ("devices-limit", policy.limits.devices),
      ("connects", counters.connects),
      ("connects-failed", counters.connectsFailed),
      ("scans-renewed", counters.scansRenewed),
      ("packets-in", counters.packetsIn),
      ("packets-out", counters.packetsOut),
      ("bytes-in", counters.bytesIn),
      ("bytes-out", counters.bytesOut),
      ("chunks-in", counters.chunksIn),
      ("chunks-out", counters.chunksOut),
      ("queued-chunks", queues.reduce(0) { $0 + $1.chunkCount }),
      ("queued-chunks-per-link-limit", policy.limits.queuedChunks),
      ("shed", counters.shed + queues.reduce(0) { $0 + $1.shed }),
      ("shed-voice", counters.shedVoice + queues.reduce(0) { $0 + $1.shedVoice }),
      ("checksum-failures", counters.checksumFailures),
      ("garbage-bytes", counters.garbage),
      ("stalled-packets", counters.stalls),
      ("refused", counters.refused),
    ] + counters.closed.statistics + radio.statistics
  }

  public func details(of link: LinkID) -> LinkDetails? {
    guard let state = policy.links[link] else { return nil }
    let roles = [state.client == nil ? nil : "client", state.server == nil ? nil : "server"]
    return LinkDetails(
      role: roles.compactMap { $0 }.joined(separator: "+"), chunkSize: state.queue.chunkSize,
      queuedChunks: state.queue.chunkCount, queuedChunksLimit: policy.limits.queuedChunks)
  }
}
