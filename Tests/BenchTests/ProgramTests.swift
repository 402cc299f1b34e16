import CommandLine
import Synchronization
import Testing

@testable import airlink_bench

/// What a run wrote and how it ended.
private func run(_ words: String..., goals: [Goal] = Goal.all) async -> (
  code: ExitCode, output: String, errors: String
) { await run(words, goals: goals) }

private func run(_ words: [String], goals: [Goal] = Goal.all) async -> (
  code: ExitCode, output: String, errors: String
) {
  let output = Lines()
  let errors = Lines()
  let code = await AirLinkBench.run(
    Invocation(words, output: output.sink, errors: errors.sink), goals: goals)
  return (code, output.text, errors.text)
}

private final class Lines: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
  var sink: TextSink {
    TextSink { (new: [UInt8]) throws(WriteError) in self.bytes.withLock { $0 += new } }
  }
}

@Suite struct ProgramTests {
  /// Those that start nodes are for the system tests.
  @Test("every case within this process runs, does the same work as its limit and is one line")
  func everyCase() async {
    let names = CaseName.allCases.filter { !$0.takesNodes }
    let run = await run(["--seconds", "0.05"] + names.flatMap { ["--only", $0.rawValue] })
    #expect(run.code == .done)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == names.count)
    for (line, name) in zip(lines, names) {
      #expect(line.hasPrefix(name.rawValue))
      #expect(line.contains(" median ") && line.contains(" p99 ") && line.contains(" max "))
      #expect(line.contains("/s"))
    }
  }

  @Test("--only measures the cases named, --json prints an object each")
  func onlyAndJSON() async {
    let run = await run("--json", "--seconds", "0.05", "--only", "open-256")
    #expect(run.code == .done)
    #expect(run.output.hasPrefix("{\"case\":\"open-256\",\"medianNanoseconds\":"))
    #expect(run.output.contains("\"goals\":[{\"metric\":\"ratio\",\"atMost\":1.1,"))
    #expect(run.output.split(separator: "\n").count == 1)
  }

  @Test("--list names every case with its limit, and measures nothing")
  func list() async {
    let run = await run("--list")
    #expect(run.code == .done)
    #expect(run.output.split(separator: "\n").count == CaseName.allCases.count)
    #expect(run.output.contains("goal ratio at most 1.10"))
    #expect(!run.output.contains("median"))
  }

  @Test("--check ends with 1 when a goal is missed, and names it; without it nothing fails")
  func check() async {
    let impossible = [
      Goal(subject: .packetDecode, metric: .ratio, bound: .atMost(0.001), margin: 0.1)
    ]
    let words = ["--seconds", "0.05", "--only", "packet-decode"]
    let checked = await run("--check", words[0], words[1], words[2], words[3], goals: impossible)
    #expect(checked.code == .failed)
    #expect(checked.errors.contains("packet-decode: goal ratio at most 0.00: missed"))
    let unchecked = await run(words[0], words[1], words[2], words[3], goals: impossible)
    #expect(unchecked.code == .done)
    let easy = [
      Goal(subject: .packetDecode, metric: .ratio, bound: .atMost(1e6), margin: 0)
    ]
    let met = await run("--check", words[0], words[1], words[2], words[3], goals: easy)
    #expect(met.code == .done)
    #expect(met.output.contains(": met]"))
  }

  @Test("wrong usage ends with 2", arguments: ["--only=nothing", "--seconds=0", "--fast", "word"])
  func wrongUsage(word: String) async {
    let run = await run(word)
    #expect(run.code == .usage)
    #expect(run.output.isEmpty && !run.errors.isEmpty)
  }
}
