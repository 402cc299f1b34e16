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
      + outbox.bounds.map { MeshStatistic(name: $0.name, value: $0.fill, limit: $0.limit) }
      + ownBounds
    let counters =
      router.statistics.map {
        MeshStatistic(name: "router." + $0.name, value: $0.value, limit: nil)
      }
      + counters.list.map { MeshStatistic(name: "mesh." + $0.name, value: $0.value, limit: nil) }
    return bounds + counters
  }

  private var ownBounds: [MeshStatistic] {
    [
      MeshStatistic(name: "mesh.people", value: people.count, limit: Self.peopleCapacity),
      MeshStatistic(
        name: "mesh.contacts", value: book.contacts.count, limit: ContactBook.maximumContacts),
      MeshStatistic(
        name: "mesh.strangers-messages", value: received.strangersCount,
        limit: ReceivedMessages.strangersCapacity),
      MeshStatistic(
        name: "mesh.pinned-messages", value: received.pinnedCount,
        limit: book.contacts.count * ReceivedMessages.capacityPerPinnedSender),
      MeshStatistic(
        name: "mesh.to-open", value: links.values.reduce(0) { $0 + $1.openQueue.count },
        limit: links.count * MeshLink.maximumOpenQueue),
    ]
  }
}

extension MeshCounters {
  var list: [(name: String, value: Int)] {
    [
      ("opened", opened), ("unopenable", unopenable), ("unopened", unopened),
      ("from-blocked", fromBlocked), ("from-contradicting", fromContradicting),
      ("from-ourselves", fromOurselves), ("repeated", repeated),
      ("too-old-to-tell", tooOldToTell), ("receipts-sent", receiptsSent),
      ("strange-receipts", strangeReceipts), ("hellos-heard", hellosHeard),
      ("bad-hellos", badHellos), ("call-signals", callSignals), ("voice-frames", voiceFrames),
    ]
  }
}
