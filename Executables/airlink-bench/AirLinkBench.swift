internal import CommandLine

/// Measures what AirLink promises about speed, each figure beside its limit in the same run.
@main struct AirLinkBench {
  static let only = Option(
    "only", .choice(CaseName.self), .repeated, help: "Measure this case; may be given again.")
  static let list = Flag("list", help: "Name the cases with their limits and goals and leave.")
  static let seconds = Option(
    "seconds", .number("N", in: 0.05...600), help: "How long to measure each case (2).")
  static let check = Flag(
    "check", help: "End with 1 when a goal is missed by more than its margin.")

  static let command = Command(
    "airlink-bench", summary: "measure AirLink against its limits",
    discussion: """
      Every case is measured in turns with its limit, the work that cannot be saved, so that both \
      meet the same machine. One line a case: median, 99th percentile and longest time of an \
      operation, operations a second, and the ratio of the two medians.
      """,
    parameters: [only, list, seconds, check, Common.json],
    examples: [
      Command.Example("airlink-bench", "measure everything"),
      Command.Example("airlink-bench --only seal-256 --seconds 10", "one case, for longer"),
      Command.Example("airlink-bench --check", "and fail when a goal is missed"),
    ])

  static func main() async { exitProcess(await run(.process())) }

  /// Runs the tool from its words to its exit code.
  static func run(_ invocation: Invocation, goals: [Goal] = Goal.all) async -> ExitCode {
    switch command.start(invocation) {
    case .finished(let code): return code
    case .run(let arguments, let console):
      do {
        try await run(arguments, console, goals)
        return .done
      } catch {
        return console.report(error)
      }
    }
  }

  private static func run(
    _ arguments: Arguments, _ console: Console, _ goals: [Goal]
  ) async throws {
    let report = Report(console: console, json: arguments[Common.json])
    let chosen = arguments.all(only)
    let names = CaseName.allCases.filter { chosen.isEmpty || chosen.contains($0) }
    if arguments[list] {
      for name in names { try report.describe(name, goals.filter { $0.subject == name }) }
      return
    }
    if isUnoptimised { console.warning("built without optimisation: these figures say nothing") }
    let budget = Duration.seconds(arguments[seconds, default: 2])
    var missed: [String] = []
    for name in names {
      let measurement = try await name.subject.measure(budget)
      let verdicts = goals.filter { $0.subject == name }.map { $0.judge(measurement) }
      try report.show(name, measurement, verdicts)
      missed += verdicts.filter(\.isMissed).map { "\(name.rawValue): \($0.description)" }
    }
    guard arguments[check], !missed.isEmpty else { return }
    throw Failure("missed by more than the margin: " + missed.joined(separator: "; "))
  }
}
