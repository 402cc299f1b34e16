public import CommandLine
internal import Mesh
internal import Wire

/// What came of one run.
public struct Summary: Sendable {
  public let name: String
  public let seed: UInt64
  public let devices: Int
  /// Simulated seconds.
  public private(set) var seconds: Double
  public let digest: UInt64
  public private(set) var measures: Measures
  public let violation: Violation?

  public var written = 0
  public var shown = 0
  public var delivered = 0
  /// Written to somebody within the hop limit, both ends on time and running to the end.
  public var reachable = 0
  public var reachableShown = 0
  public var reachableDelivered = 0
  /// Of messages shown and delivered, in milliseconds, least first.
  public var delaysToShow: [Double] = []
  public var delaysToDeliver: [Double] = []
  /// Of all duplicate tables at the end, in bytes.
  public var duplicateTableBytes = 0
  /// Relays spared because every neighbour had the packet.
  public var relaysSpared = 0
  /// What the scenario expects and did not get.
  public var disappointments: [String] = []

  public var deliveredShare: Double { Self.share(delivered, written) }
  public var shownShare: Double { Self.share(shown, written) }
  public var reachableShare: Double { Self.share(reachableDelivered, reachable) }
  public var transmissionsPerDelivered: Double {
    Self.share(measures.sealed.packets - measures.hostile.packets, delivered)
  }
  /// Sealed packets sent for each device that one of them reached; nil where it was not counted.
  ///
  /// A tree that spans the devices has 1.
  public var transmissionsPerReached: Double? {
    measures.reached.map { Self.share(measures.sealed.packets, $0) }
  }
  public var reachedPerFlood: Double? { measures.reached.map { Self.share($0, measures.floods) } }
  public var bytesPerDeviceHour: Double {
    Double(measures.sealed.bytes + measures.hellos.bytes) / Double(max(1, devices)) / seconds
      * 3_600
  }
  public var isGood: Bool { violation == nil && disappointments.isEmpty }

  /// Takes in what came of another run of the same kind.
  public mutating func add(_ other: Summary) {
    measures.add(other.measures)
    written += other.written
    shown += other.shown
    delivered += other.delivered
    reachable += other.reachable
    reachableShown += other.reachableShown
    reachableDelivered += other.reachableDelivered
    delaysToShow = (delaysToShow + other.delaysToShow).sorted()
    delaysToDeliver = (delaysToDeliver + other.delaysToDeliver).sorted()
    relaysSpared += other.relaysSpared
    seconds += other.seconds
    disappointments += other.disappointments
  }

  private static func share(_ part: Int, _ whole: Int) -> Double {
    whole == 0 ? 0 : Double(part) / Double(whole)
  }

  /// The value below which so many of `values`, which rise, lie.
  public static func percentile(_ part: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    return values[min(values.count - 1, Int((Double(values.count) * part).rounded(.down)))]
  }
}

extension Simulation {
  /// What came of the run so far.
  public var summary: Summary {
    var summary = Summary(
      name: scenario.name, seed: seed, devices: devices.count,
      seconds: Double(min(time, scenario.duration.wholeNanoseconds)) / 1e9, digest: digest,
      measures: measures, violation: violation)
    for text in ledger.texts {
      summary.written += 1
      if let shown = text.shownAt {
        summary.shown += 1
        summary.delaysToShow.append(milliseconds(shown - text.writtenAt))
      }
      if let delivered = text.deliveredAt {
        summary.delivered += 1
        summary.delaysToDeliver.append(milliseconds(delivered - text.writtenAt))
      }
      guard text.distance != nil, !text.isHopeless || text.deliveredAt != nil else { continue }
      summary.reachable += 1
      if text.shownAt != nil { summary.reachableShown += 1 }
      if text.deliveredAt != nil { summary.reachableDelivered += 1 }
    }
    summary.delaysToShow.sort()
    summary.delaysToDeliver.sort()
    for device in devices {
      for statistic in device.mesh.statistics {
        if statistic.name.hasPrefix("router.seen-") {
          summary.duplicateTableBytes += Self.tableBytes(statistic.value)
        } else if statistic.name == "mesh.relays-spared" {
          summary.relaysSpared += statistic.value
        }
      }
    }
    summary.disappointments = disappointments(summary)
    return summary
  }

  private func milliseconds(_ duration: Duration) -> Double {
    Double(duration.wholeNanoseconds) / 1e6
  }

  /// The ring, 32 bytes an entry, and its index, doubled as they fill.
  private static func tableBytes(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    var room = 16
    while room < count { room *= 2 }
    return room * (32 + 2 * 2)
  }

  private func disappointments(_ summary: Summary) -> [String] {
    var list: [String] = []
    let wanted = scenario.expectations
    if summary.reachable > 0, summary.reachableShare < wanted.reachableDelivered {
      list.append(
        "\(summary.reachableDelivered) of \(summary.reachable) reachable texts delivered, "
          + "under \(wanted.reachableDelivered)")
    }
    if summary.written > 0, summary.deliveredShare < wanted.delivered {
      list.append(
        "\(summary.delivered) of \(summary.written) texts delivered, under \(wanted.delivered)")
    }
    if let cost = summary.transmissionsPerReached, cost > wanted.transmissionsPerReached {
      list.append("\(cost) transmissions for each device reached")
    }
    return list
  }
}

extension Summary {
  /// The summary as one object; the digest in hexadecimal.
  public var json: JSONObject {
    var object: JSONObject = [
      "scenario": .string(name), "seed": .string(String(seed)), "devices": .count(devices),
      "seconds": .double(seconds), "digest": .string(String(digest, radix: 16)),
      "events": .count(measures.events), "written": .count(written), "shown": .count(shown),
      "delivered": .count(delivered), "reachable": .count(reachable),
      "reachableShown": .count(reachableShown),
      "reachableDelivered": .count(reachableDelivered),
      "sealedPackets": .count(measures.sealed.packets),
      "sealedBytes": .count(measures.sealed.bytes),
      "hostilePackets": .count(measures.hostile.packets),
      "helloPackets": .count(measures.hellos.packets),
      "helloBytes": .count(measures.hellos.bytes), "shed": .count(measures.shed),
      "lostOnAir": .count(measures.lostOnAir), "lostWithLink": .count(measures.lostWithLink),
      "linksMade": .count(measures.linksMade), "linksClosed": .count(measures.linksClosed),
      "floods": .count(measures.floods), "relaysSpared": .count(relaysSpared),
      "bytesPerDeviceHour": .double(bytesPerDeviceHour),
      "duplicateTableBytes": .count(duplicateTableBytes),
    ]
    object["transmissionsPerDelivered"] = .double(transmissionsPerDelivered)
    object["transmissionsPerReached"] = transmissionsPerReached.map(JSONValue.double)
    object["reachedPerFlood"] = reachedPerFlood.map(JSONValue.double)
    for (name, part) in [("P50", 0.5), ("P99", 0.99)] {
      object["shownAfterMs" + name] =
        Summary.percentile(part, of: delaysToShow).map(JSONValue.double)
      object["deliveredAfterMs" + name] =
        Summary.percentile(part, of: delaysToDeliver).map(JSONValue.double)
    }
    object["violation"] = violation.map { .string($0.description) }
    if !disappointments.isEmpty {
      object["disappointments"] = .array(disappointments.map(JSONValue.string))
    }
    return object
  }
}
