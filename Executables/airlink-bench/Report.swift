internal import CommandLine

/// Prints cases and what measuring them brought, for people or as JSON.
struct Report {
  let console: Console
  let json: Bool

  /// What `--list` says of a case.
  func describe(_ name: CaseName, _ goals: [Goal]) throws {
    let subject = name.subject
    guard json else {
      let wanted = goals.isEmpty ? "" : "; goal " + goals.map(\.description).joined(separator: ", ")
      try console.print("\(name.label) \(subject.summary); limit: \(subject.limit)\(wanted)")
      return
    }
    try console.print([
      "case": .string(name.rawValue), "summary": .string(subject.summary),
      "limit": .string(subject.limit), "goals": .array(goals.map { .object($0.object) }),
    ])
  }

  func show(_ name: CaseName, _ measurement: Measurement, _ verdicts: [Goal.Verdict]) throws {
    guard json else {
      try console.print(line(name, measurement, verdicts))
      return
    }
    let times = measurement.subject
    var object: JSONObject = [
      "case": .string(name.rawValue), "medianNanoseconds": .double(times.median),
      "p99Nanoseconds": .double(times.p99), "longestNanoseconds": .double(times.longest),
      "perSecond": .double(measurement.perSecond),
    ]
    object["gigabytesPerSecond"] = measurement.gigabytesPerSecond.map(JSONValue.double)
    object["limit"] = .string(name.subject.limit)
    object["limitMedianNanoseconds"] = measurement.limit.map { .double($0.median) }
    object["limitP99Nanoseconds"] = measurement.limit.map { .double($0.p99) }
    object["limitLongestNanoseconds"] = measurement.limit.map { .double($0.longest) }
    object["ratio"] = measurement.ratio.map(JSONValue.double)
    for (metric, value) in measurement.figures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      object[metric.rawValue] = .double(value)
    }
    object["goals"] = .array(verdicts.map { .object($0.object) })
    try console.print(object)
  }

  private func line(
    _ name: CaseName, _ measurement: Measurement, _ verdicts: [Goal.Verdict]
  ) -> String {
    let times = measurement.subject
    var parts = [
      name.label, "median " + Figure.time(times.median), "p99 " + Figure.time(times.p99),
      "max " + Figure.time(times.longest),
      Figure.leading(Figure.grouped(measurement.perSecond), 11) + "/s",
    ]
    if let rate = measurement.gigabytesPerSecond { parts.append(Figure.decimal(rate) + " GB/s") }
    if let ratio = measurement.ratio {
      parts.append("\(Figure.decimal(ratio)) times \(name.subject.limit)")
    }
    for (metric, value) in measurement.figures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      parts.append("\(Figure.decimal(value)) \(metric.rawValue)")
    }
    parts += verdicts.map { "[\($0.description)]" }
    return parts.joined(separator: "  ")
  }
}

extension CaseName {
  /// Padded to the longest.
  fileprivate var label: String {
    let width = Self.allCases.map(\.rawValue.count).max() ?? 0
    return rawValue + String(repeating: " ", count: width - rawValue.count)
  }
}

extension Goal {
  var description: String {
    switch bound {
    case .atMost(let value): "\(metric.rawValue) at most \(Figure.decimal(value))"
    case .atLeast(let value): "\(metric.rawValue) at least \(Figure.decimal(value))"
    }
  }

  fileprivate var object: JSONObject {
    var object: JSONObject = ["metric": .string(metric.rawValue)]
    switch bound {
    case .atMost(let value): object["atMost"] = .double(value)
    case .atLeast(let value): object["atLeast"] = .double(value)
    }
    object["margin"] = .double(margin)
    return object
  }
}

extension Goal.Verdict {
  var description: String {
    let outcome =
      if let excuse { "not judged: \(excuse)" } else if isMet { "met" } else if isMissed {
        "missed: \(measured.map(Figure.decimal) ?? "no figure")"
      } else { "missed within the margin" }
    return "goal \(goal.description): \(outcome)"
  }

  fileprivate var object: JSONObject {
    var object = goal.object
    object["measured"] = measured.map(JSONValue.double)
    object["met"] = .bool(isMet)
    object["missedByMoreThanMargin"] = .bool(isMissed)
    object["notJudged"] = excuse.map(JSONValue.string)
    return object
  }
}
