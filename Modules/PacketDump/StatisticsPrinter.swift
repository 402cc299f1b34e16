internal import Capture
internal import CommandLine
internal import Wire

/// `--stats`, as tables or as objects.
struct StatisticsPrinter {
  let statistics: TrafficStatistics
  let calls: [CallTable.Voice]
  /// Names of links as the capture has them: text of others.
  let names: [String]

  /// As wide as the longest name.
  private var nameColumns: Int {
    let longest = statistics.links.map { DisplayText(name($0.place)).columns }.max() ?? 0
    return min(max(longest, LinePrinter.linkColumns), LinePrinter.maximumLinkColumns)
  }

  private func name(_ link: Int) -> String {
    names.indices.contains(link) ? names[link] : "link \(link)"
  }

  // MARK: Tables

  func put(into text: inout TextBuffer) {
    let span = TextBuffer.seconds(statistics.milliseconds)
    text.put("\(statistics.total.packets) packets, \(statistics.total.bytes) bytes\(span)\n\n")
    row(["kind", "packets", "bytes", "copies", "relayed", "refused"], into: &text)
    for (kind, traffic) in statistics.kinds {
      row([PacketKind(rawValue: kind).word] + cells(traffic), into: &text)
    }
    text.put("\n")
    row(
      ["link", "packets", "bytes", "copies", "relayed", "refused", "in", "out", "lost", "bad CRC"],
      into: &text)
    for (link, counts) in statistics.links {
      let own = [counts.inbound, counts.outbound, counts.lostBytes, counts.badChecksums]
      row([name(link)] + cells(counts.traffic) + own.map(String.init), into: &text)
    }
    if !statistics.roads.isEmpty { text.put("\ncopies\n") }
    for (road, copies) in statistics.orderedRoads {
      text.put("\(copies) first on \(DisplayText(name(road.first)))")
      text.put(", again on \(DisplayText(name(road.again)))\n")
    }
    if !calls.isEmpty { text.put("\ncalls\n") }
    for voice in calls.sorted(by: { $0.call < $1.call }) { put(voice, into: &text) }
    if !statistics.losses.isEmpty { text.put("\nlost\n") }
    for (code, count) in statistics.losses.sorted(by: { $0.key < $1.key }) {
      text.put("\(count) \(code)\n")
    }
  }

  private func put(_ voice: CallTable.Voice, into text: inout TextBuffer) {
    let whom = voice.destination.map { "to \($0.number) " } ?? ""
    let links = voice.links.map { "\(DisplayText(name($0)))" }.joined(separator: ", ")
    let way = voice.direction.map { " \($0.rawValue)" } ?? ""
    let flow = voice.flow
    text.put("call \(voice.call) \(whom)on \(links)\(way): \(flow.frames) frames")
    text.put(TextBuffer.seconds(flow.milliseconds))
    text.put(", \(flow.lost) lost (")
    text.put(tenths: flow.lossPercent)
    text.put(" %), jitter ")
    text.put(tenths: flow.jitter)
    text.put(" ms, \(flow.copies) copies\n")
  }

  private func cells(_ traffic: TrafficStatistics.Traffic) -> [String] {
    [traffic.packets, traffic.bytes, traffic.copies, traffic.relayed, traffic.refused]
      .map(String.init)
  }

  private func row(_ cells: [String], into text: inout TextBuffer) {
    for (place, cell) in cells.enumerated() {
      if place == 0 {
        text.put(DisplayText(cell).padded(toColumns: nameColumns))
      } else {
        text.put(" " + String(repeating: " ", count: max(0, 9 - cell.utf8.count)) + cell)
      }
    }
    text.endLine()
  }

  // MARK: Objects

  var objects: [JSONObject] {
    var total: JSONObject = ["event": "stats", "of": "all"]
    add(statistics.total, to: &total)
    total["milliseconds"] = statistics.milliseconds.map(JSONValue.integer)
    var losses = JSONObject()
    for (code, count) in statistics.losses.sorted(by: { $0.key < $1.key }) {
      losses[code] = .count(count)
    }
    total["lost"] = .object(losses)
    let kinds = statistics.kinds.map { kind, traffic in
      var object: JSONObject = ["event": "stats", "of": "kind"]
      object["kind"] = .string(PacketKind(rawValue: kind).word)
      add(traffic, to: &object)
      return object
    }
    let links = statistics.links.map { link, counts in
      var object: JSONObject = ["event": "stats", "of": "link", "link": .string(name(link))]
      add(counts.traffic, to: &object)
      object["in"] = .count(counts.inbound)
      object["out"] = .count(counts.outbound)
      object["lostBytes"] = .count(counts.lostBytes)
      object["badChecksums"] = .count(counts.badChecksums)
      return object
    }
    let roads = statistics.orderedRoads.map { road, copies -> JSONObject in
      [
        "event": "stats", "of": "copies", "firstLink": .string(name(road.first)),
        "link": .string(name(road.again)), "copies": .count(copies),
      ]
    }
    return [total] + kinds + links + roads + callObjects
  }

  private var callObjects: [JSONObject] {
    calls.sorted(by: { $0.call < $1.call }).map { voice in
      var object: JSONObject = ["event": "stats", "of": "call", "call": .count(voice.call)]
      object["to"] = voice.destination.map { .string("\($0.number)") }
      object["links"] = .array(voice.links.map { .string(name($0)) })
      object["direction"] = voice.direction.map { .string($0.rawValue) }
      object["frames"] = .count(voice.flow.frames)
      object["copies"] = .count(voice.flow.copies)
      object["lost"] = .count(voice.flow.lost)
      object["lossPercent"] = .double((voice.flow.lossPercent * 100).rounded() / 100)
      object["jitterMilliseconds"] = .double((voice.flow.jitter * 100).rounded() / 100)
      object["milliseconds"] = voice.flow.milliseconds.map(JSONValue.integer)
      return object
    }
  }

  private func add(_ traffic: TrafficStatistics.Traffic, to object: inout JSONObject) {
    object["packets"] = .count(traffic.packets)
    object["bytes"] = .count(traffic.bytes)
    object["copies"] = .count(traffic.copies)
    object["relayed"] = .count(traffic.relayed)
    object["refused"] = .count(traffic.refused)
  }
}

extension TextBuffer {
  fileprivate static func seconds(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "" }
    var text = TextBuffer()
    text.put(" in ")
    text.putSeconds(milliseconds: milliseconds)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
