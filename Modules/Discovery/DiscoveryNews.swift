internal import EventLoop

/// News on their way from a responder's thread to the main thread.
///
/// What is said twice about one sighting is said once: however fast names come and go on the
/// network, no more waits here than the tables on both sides hold.
final class DiscoveryNews: Sendable {
  enum State: Hashable, Sendable {
    /// Up: services can be published and found.
    case running
    /// Busy with the host's own name; what was published is withdrawn for now.
    case registering
    /// Nobody there yet; it is being waited for.
    case absent
    /// Gone; it must be opened anew. Avahi's error.
    case failed(CInt)
  }

  struct Batch: Sendable {
    var state: State?
    /// True for seen, false for gone.
    var sightings: [ServiceSighting: Bool] = [:]
    var resolved: [(sighting: ServiceSighting, endpoint: Endpoint?)] = []
    var taken: [PublishedService] = []
    /// Why something could not be opened, which is worth another try later.
    var trouble: CInt?
    fileprivate var isScheduled = false
  }

  private let batch = Guarded(Batch())
  private let postbox: Postbox
  private let deliver: @MainActor @Sendable (Batch) -> Void

  @MainActor
  init(_ deliver: @escaping @MainActor @Sendable (Batch) -> Void) {
    postbox = EventLoop.main.postbox
    self.deliver = deliver
  }

  func note(_ change: (inout Batch) -> Void) {
    let isScheduled = batch.withLock { batch in
      change(&batch)
      defer { batch.isScheduled = true }
      return batch.isScheduled
    }
    if isScheduled { return }
    postbox.post { [self] in
      deliver(
        batch.withLock { batch in
          defer { batch = Batch() }
          return batch
        })
    }
  }

  /// Notes that a sighting came or went; what comes and goes before it was told is never told.
  func note(_ sighting: ServiceSighting, isSeen: Bool) {
    note { batch in
      if batch.sightings[sighting] == !isSeen {
        batch.sightings[sighting] = nil
      } else {
        batch.sightings[sighting] = isSeen
      }
    }
  }
}
