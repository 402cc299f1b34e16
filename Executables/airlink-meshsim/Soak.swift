internal import CommandLine
internal import Glibc
internal import MeshSim

/// `airlink-meshsim soak`: new seeds for a while, until one breaks.
@MainActor enum Soak {
  static let file = Operand(.file("SCENARIO"), .atLeastOnce, help: "Scenarios, taken in turn.")
  static let seconds = Option(
    "seconds", .number("N", in: 0.1...1_000_000), help: "For how long (60).")
  static let seed = Option(
    "seed", .integer("N", in: UInt64.min...UInt64.max),
    help: "The first seed (drawn, and told).")

  static let command = Command(
    "soak", summary: "run new seeds for a while and report the first that breaks",
    parameters: [file, ScenarioFile.set, seconds, seed])

  static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let paths = arguments.all(file)
    var scenarios: [Scenario] = []
    for path in paths {
      scenarios.append(
        try ScenarioFile(path: path).setting(arguments.all(ScenarioFile.set)).scenario())
    }
    var seed = arguments[seed] ?? UInt64.random(in: 0..<1_000_000_000_000)
    console.note("begins with --seed \(seed)")
    let end = now() + arguments[seconds, default: 60]
    var runs = 0
    repeat {
      for (scenario, path) in zip(scenarios, paths) where now() < end || runs == 0 {
        let summary = try World.model(scenario, seed, nil).summary
        runs += 1
        guard summary.isGood else {
          Run.complain(summary, path, console)
          return .failed
        }
      }
      seed &+= 1
    } while now() < end
    try console.print("\(runs) runs, every one within the rules")
    return .done
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
