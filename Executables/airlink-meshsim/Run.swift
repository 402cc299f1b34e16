internal import CommandLine
internal import Glibc
internal import Mesh
internal import MeshSim
internal import Wire

/// Which cryptography a world runs with.
enum CryptographyChoice: String, CaseIterable, Sendable { case model, real }

/// `airlink-meshsim run`: one world from beginning to end.
@MainActor enum Run {
  static let file = Operand(.file("SCENARIO"), .atLeastOnce, help: "Scenarios; - for one on input.")
  static let seed = Option(
    "seed", .integer("N", in: UInt64.min...UInt64.max), help: "What chance begins with (1).")
  static let seeds = Option(
    "seeds", .integer("N", in: 1...100_000), help: "Run so many seeds, from --seed on (1).")
  static let until = Option(
    "until", .integer("STEP", in: 1...Int.max), help: "Stop after this event.")
  static let trace = Option(
    "trace", .integer("N", in: 1...100_000), help: "Print the last N packets that arrived.")
  static let capture = Option(
    "capture", .file(), help: "Write what arrives as a capture for airlink-packetdump.")
  static let svg = Option("svg", .directory(), help: "Draw pictures into this directory.")
  static let cryptography = Option(
    "cryptography", .choice(CryptographyChoice.self),
    help: "A quick model of it, or the real one (model).")

  static let command = Command(
    "run", summary: "run scenarios and print what came of them",
    parameters: [
      file, ScenarioFile.set, seed, seeds, until, trace, capture, svg, cryptography, Common.json,
    ])

  static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let first = arguments[seed, default: 1]
    var table = Table(console, json: arguments[Common.json])
    var isGood = true
    for path in arguments.all(file) {
      let scenario = try ScenarioFile(path: path).setting(arguments.all(ScenarioFile.set))
        .scenario()
      for offset in 0..<UInt64(arguments[seeds, default: 1]) {
        let view = try View(arguments, console)
        let seed = first &+ offset
        let outcome =
          arguments[cryptography] == .real
          ? try World.real(scenario, seed, until: arguments[until, default: .max], view)
          : try World.model(scenario, seed, until: arguments[until, default: .max], view)
        try table.add(outcome)
        try view.finish(outcome)
        isGood = isGood && outcome.summary.isGood
        if !outcome.summary.isGood { complain(outcome.summary, path, console) }
      }
    }
    return isGood ? .done : .failed
  }

  static func complain(_ summary: Summary, _ path: String, _ console: Console) {
    if let violation = summary.violation {
      console.error(
        "\(summary.name): \(violation)",
        hints: [
          "airlink-meshsim run \(path) --seed \(summary.seed) --until \(violation.step) --trace 20"
        ])
    }
    for text in summary.disappointments {
      console.error(
        "\(summary.name): seed \(summary.seed): \(text)",
        hints: ["airlink-meshsim run \(path) --seed \(summary.seed)"])
    }
  }
}
