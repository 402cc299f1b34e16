internal import CommandLine
internal import MeshSim

/// One line a run: a table for people, an object a line for programs.
struct Table {
  private let console: Console
  private let json: Bool
  private var hasHead = false

  init(_ console: Console, json: Bool) {
    self.console = console
    self.json = json
  }

  private static let columns: [(head: String, width: Int)] = [
    ("scenario", 18), ("seed", 6), ("devices", 8), ("texts", 7), ("shown", 8), ("deliv.", 8),
    ("reach.", 8), ("p50 ms", 9), ("p99 ms", 10), ("sent/msg", 9), ("sent/dev", 9),
    ("B/dev/h", 10), ("KiB/dev", 8), ("events", 11), ("Mev/s", 7),
  ]

  mutating func add(_ outcome: Outcome, label: String? = nil) throws {
    let summary = outcome.summary
    if json {
      var object = summary.json
      object["processorSeconds"] = .double(outcome.seconds)
      object["heapBytesPerDevice"] = .count(outcome.heapPerDevice)
      object["label"] = label.map(JSONValue.string)
      try console.print(object)
      return
    }
    if !hasHead {
      hasHead = true
      try line(Self.columns.map(\.head))
    }
    let rate = Double(summary.measures.events) / outcome.seconds / 1e6
    try line([
      label ?? summary.name, String(summary.seed), String(summary.devices),
      String(summary.written), percent(summary.shownShare), percent(summary.deliveredShare),
      summary.reachable == 0 ? "-" : percent(summary.reachableShare),
      number(Summary.percentile(0.5, of: summary.delaysToDeliver), 0),
      number(Summary.percentile(0.99, of: summary.delaysToDeliver), 0),
      number(summary.transmissionsPerDelivered, 1), number(summary.transmissionsPerReached, 3),
      number(summary.bytesPerDeviceHour, 0), number(Double(outcome.heapPerDevice) / 1_024, 1),
      String(summary.measures.events), number(rate, 2),
    ])
  }

  /// Several runs of one kind as one line: sums, and the delays of all.
  mutating func add(_ outcomes: [Outcome], label: String) throws {
    guard let first = outcomes.first else { return }
    guard !json else {
      for outcome in outcomes { try add(outcome, label: label) }
      return
    }
    let summary = outcomes.dropFirst().reduce(into: first.summary) { $0.add($1.summary) }
    try add(
      Outcome(
        summary: summary, texts: [], seconds: outcomes.reduce(0) { $0 + $1.seconds },
        positions: [], links: [],
        heapPerDevice: outcomes.reduce(0) { $0 + $1.heapPerDevice } / outcomes.count),
      label: label)
  }

  private func line(_ cells: [String]) throws {
    let padded = zip(cells, Self.columns).enumerated().map { place, pair in
      let (text, column) = pair
      let blank = String(repeating: " ", count: max(0, column.width - text.count))
      return place == 0 ? text + blank : blank + text
    }
    try console.print(padded.joined(separator: " "))
  }

  private func percent(_ share: Double) -> String { number(share * 100, 2) + "%" }

  /// A number with so many places behind the point.
  private func number(_ value: Double?, _ places: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((value * scale).rounded())
    guard places > 0 else { return String(whole) }
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (whole < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
  }
}
