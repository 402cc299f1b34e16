internal import CallSignal
internal import Identity
internal import Outbox
internal import Router
internal import Wire

/// One figure of `/stats`: a counter, or how full something is with its bound.
public struct MeshStatistic: Hashable, Sendable {
  public let name: String
  public let value: Int
  /// What `value` never exceeds; nil for a counter.
  public let limit: Int?
}

extension Mesh {
  /// Every counter and every bound of the mesh.
  public var statistics: [MeshStatistic] {
    let bounds =
      router.bounds.map {
        MeshStatistic(name: "router." + $0.name, value: $0.fill, limit: $0.limit)
      }
      + calls.bounds.map {
        MeshStatistic(name: "calls." + $0.name, value: $0.fill, limit: $0.limit)
      }
      + outbox.bounds.map { MeshStatistic(name: $0.name, value: $0.fill, limit: $0.limit) }
      + ownBounds
    let counters =
      router.statistics.map {
        MeshStatistic(name: "router." + $0.name, value: $0.value, limit: nil)
      }
      + calls.statistics.map {
        MeshStatistic(name: "calls." + $0.name, value: $0.value, limit: nil)
      }
      + counters.list.map { MeshStatistic(name: "mesh." + $0.name, value: $0.value, limit: nil) }
    return bounds + counters
  }

  private var ownBounds: [MeshStatistic] {
    [
      bound("people", people.count, Self.peopleCapacity),
      bound("contacts", book.contacts.count, ContactBook.maximumContacts),
      bound("conflicts", conflicts.count, ContactBook.maximumContacts),
      bound("rejected-keys", conflicts.rejectedCount, KeyConflicts.maximumRejected),
      bound(
        "strangers-messages", received.strangersCount, ReceivedMessages.strangersCapacity),
      bound(
        "pinned-messages", received.pinnedCount,
        ContactBook.maximumContacts * MessageHistory.capacity),
      bound("to-open", toOpen.count, (links.count + 1) * OpeningQueue.capacityPerLink),
      bound("to-open-bytes", toOpen.byteCount, OpeningQueue.capacityInBytes),
      bound("waiting-relays", waitingRelays.count, WaitingRelays.capacity),
      bound("own-texts", ownTexts.count, OutboxLimits.standard.messages),
    ]
  }

  private func bound(_ name: String, _ value: Int, _ limit: Int) -> MeshStatistic {
    MeshStatistic(name: "mesh." + name, value: value, limit: limit)
  }
}
