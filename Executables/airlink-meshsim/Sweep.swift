internal import CommandLine
internal import MeshSim

/// `airlink-meshsim sweep`: one scenario many times, with one or more things changed.
@MainActor enum Sweep {
  static let file = Operand(.file("SCENARIO"), help: "The scenario.")
  static let vary = Option(
    "vary", .text("FIELD=A|B|…"), .repeated,
    help: "Run with each of these; several give every combination.")
  static let seed = Option(
    "seed", .integer("N", in: UInt64.min...UInt64.max), help: "The first seed (1).")
  static let seeds = Option(
    "seeds", .integer("N", in: 1...100_000), help: "So many seeds of each (3).")
  static let plot = Option(
    "plot", .file(), help: "Draw events against devices into this SVG, and print the slope.")

  static let command = Command(
    "sweep", summary: "run a scenario with things changed, and compare",
    parameters: [file, vary, ScenarioFile.set, seed, seeds, plot, Common.json])

  static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let base = try ScenarioFile(path: try arguments.required(file))
      .setting(arguments.all(ScenarioFile.set))
    var table = Table(console, json: arguments[Common.json])
    var isGood = true
    var points: [(x: Double, y: Double)] = []
    for changes in try combinations(arguments.all(vary)) {
      let scenario = try base.setting(changes).scenario()
      let label = changes.map(shortened).joined(separator: " ")
      var outcomes: [Outcome] = []
      for offset in 0..<UInt64(arguments[seeds, default: 3]) {
        let outcome = try World.model(
          scenario, arguments[seed, default: 1] &+ offset, nil)
        outcomes.append(outcome)
        points.append((Double(outcome.summary.devices), Double(outcome.summary.measures.events)))
        if let violation = outcome.summary.violation {
          isGood = false
          console.error("\(label): \(violation)")
        }
      }
      try table.add(outcomes, label: label)
    }
    if let path = arguments[plot] {
      try Pictures.write(Pictures.growth("events against devices", points), to: path)
      console.note("drew \(path); slope \(Pictures.slope(points))")
    }
    return isGood ? .done : .failed
  }

  /// `policy.answersRepeats=false` is told by its last word.
  private static func shortened(_ change: String) -> String {
    change.split(separator: ".").last.map(String.init) ?? change
  }

  /// Every combination of one alternative from each.
  private static func combinations(_ varied: [String]) throws -> [[String]] {
    var all: [[String]] = [[]]
    for text in varied {
      let parts = text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw UsageError("--vary: wants FIELD=A|B|…") }
      all = all.flatMap { chosen in
        parts[1].split(separator: "|").map { chosen + ["\(parts[0])=\($0)"] }
      }
    }
    return all
  }
}
