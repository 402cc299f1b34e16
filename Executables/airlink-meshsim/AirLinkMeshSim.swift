internal import CommandLine
internal import Glibc
internal import MeshSim

/// Thousands of nodes in one process, from one seed.
@main @MainActor struct AirLinkMeshSim {
  static let command = Command(
    "airlink-meshsim", summary: "run thousands of meshes in one process, from one seed",
    discussion: """
      A scenario is a JSON file (docs/MESH.md, Fixtures/Scenarios). Every step is held against the \
      rules of the protocol; a run that breaks one says the seed and the step, and can be run to \
      that step again.
      """,
    subcommands: [Run.command, Sweep.command, Soak.command],
    examples: [
      Command.Example("airlink-meshsim run crowd.json --seed 7", "one run and its table"),
      Command.Example(
        "airlink-meshsim run crowd.json --until 5000 --trace 20", "what led to step 5000"),
      Command.Example(
        "airlink-meshsim sweep crowd.json --vary devices=50,100,200 --seeds 5", "compare"),
      Command.Example("airlink-meshsim soak Fixtures/Scenarios/*.json --seconds 600", "new seeds"),
    ])

  static func main() { exit(run(.process()).rawValue) }

  static func run(_ invocation: Invocation) -> ExitCode {
    command.run(invocation) { arguments, console in
      switch arguments.path.first {
      case "run": try Run.run(arguments, console)
      case "sweep": try Sweep.run(arguments, console)
      case "soak": try Soak.run(arguments, console)
      default: throw UsageError("which command? 'airlink-meshsim --help' lists them")
      }
    }
  }
}
