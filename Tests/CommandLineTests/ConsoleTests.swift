import CommandLine
import Dispatch
import Glibc
import Testing

@Suite struct ConsoleTests {
  struct Odd: Error, CustomStringConvertible { let description = "it broke" }

  @Test("a failure is an error line with its hints and its code")
  func failure() {
    let run = Run(SampleTool.plain, []) { _, _ in
      throw Failure("no such card", hints: "make one", "or import one")
    }
    #expect(run.code == .failed)
    #expect(run.output == "")
    #expect(
      run.errors == "airlink-sample: error: no such card\nhint: make one\nhint: or import one\n")
  }

  @Test("each way to stop has its code and its line")
  func ways() {
    let cases: [(any Error, ExitCode, String)] = [
      (Failure.usage("too much", hints: "less"), .usage, "error: too much\nhint: less\n"),
      (UsageError("what"), .usage, "error: what\n"), (Odd(), .failed, "error: it broke\n"),
      (WriteError.closed, .done, ""),
      (
        WriteError.failed(errno: ENOSPC), .failed,
        "error: cannot write to standard output: No space left on device\n"
      ),
    ]
    for (error, code, text) in cases {
      let run = Run(SampleTool.plain, []) { _, _ in throw error }
      #expect(run.code == code)
      #expect(run.errors == (text.isEmpty ? "" : "airlink-sample: \(text)"))
    }
  }

  @Test("results go to standard output, what is said about them to standard error")
  func streams() {
    let run = Run(SampleTool.plain, ["--json"]) { arguments, console in
      console.warning("odd")
      console.note("done")
      if arguments[Common.json] { try console.print(["a": 1]) }
      try console.print("plain")
      return .done
    }
    #expect(run.output == "{\"a\":1}\nplain\n")
    #expect(run.errors == "airlink-sample: warning: odd\nairlink-sample: done\n")
    #expect(run.code == .done)
  }

  @Test(
    "colour is for terminals that want it",
    arguments: [
      (.auto, true, ["TERM": "xterm"], true), (.auto, false, ["TERM": "xterm"], false),
      (.auto, true, ["TERM": "dumb"], false), (.auto, true, [:], false),
      (.auto, true, ["TERM": "xterm", "NO_COLOR": "1"], false),
      (.auto, true, ["TERM": "xterm", "NO_COLOR": ""], true),
      (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
      (.never, true, ["TERM": "xterm"], false),
    ] as [(ColorChoice, Bool, [String: String], Bool)])
  func color(choice: ColorChoice, isTerminal: Bool, environment: [String: String], isOn: Bool) {
    #expect(choice.isOn(isTerminal: isTerminal, environment: environment) == isOn)
  }

  @Test("--color decides what errors look like", arguments: ["always", "never"])
  func colorOption(word: String) {
    let tool = Command("tool", summary: "Colours", parameters: [Common.color])
    let run = Run(tool, ["--color", word]) { _, console in
      try console.print(TextStyle.bold.apply("b", isOn: console.colors))
      throw Failure("x")
    }
    let isOn = word == "always"
    #expect(run.output == (isOn ? "\u{1B}[1mb\u{1B}[0m\n" : "b\n"))
    #expect(run.errors == "tool: \(isOn ? "\u{1B}[31merror:\u{1B}[0m" : "error:") x\n")
  }

  @Test("a sink in memory gives back its lines")
  func recorded() throws {
    let record = RecordedText()
    let sink = record.sink(isTerminal: true)
    #expect(sink.isTerminal)
    try sink.write("a\n\nb\nrest")
    #expect(record.lines == ["a", "", "b"])
    #expect(record.text == "a\n\nb\nrest")
    try TextSink.null.write("gone")
  }
}

@Suite struct TextSinkTests {
  /// Both ends of a pipe: read, write.
  private func pipeEnds() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure("no pipe: \(systemMessage(errno))") }
    return (ends[0], ends[1])
  }

  @Test("a closed pipe is told apart from a failure, and no signal ends the program")
  func closedPipe() throws {
    _ = Invocation.process()  // Ignores SIGPIPE.
    let (reading, writing) = try pipeEnds()
    close(reading)
    #expect(throws: WriteError.closed) { try TextSink.descriptor(writing).write("x") }
    close(writing)
    #expect(throws: WriteError.failed(errno: EBADF)) { try TextSink.descriptor(-1).write("x") }
  }

  @Test("a full disk is a failure")
  func fullDisk() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    #expect(throws: WriteError.failed(errno: ENOSPC)) { try TextSink.descriptor(full).write("x") }
    #expect(!TextSink.descriptor(full).isTerminal)
  }

  @Test("all is written to a pipe that takes little at a time", arguments: [false, true])
  func shortWrites(nonBlocking: Bool) throws {
    let (reading, writing) = try pipeEnds()
    // Non-blocking, each write takes what fits and then none; blocking, the kernel waits.
    if nonBlocking { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      try? TextSink.descriptor(writing).write(bytes)
      close(writing)
      done.signal()
    }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while true {
      let count = read(reading, &buffer, buffer.count)
      if count <= 0 { break }
      received += buffer[..<count]
    }
    done.wait()
    close(reading)
    // Two numbers and a truth: of two long lists a failure would compute the difference for hours.
    let isSame = received == bytes
    #expect(received.count == bytes.count)
    #expect(isSame)
  }
}
