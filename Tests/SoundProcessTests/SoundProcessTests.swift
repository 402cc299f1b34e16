import AudioPipe
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import SoundProcess

/// A program of a few lines of shell in airlink-callaudio's place, and what is told of it.
@MainActor
private final class Scene {
  private let scratch: ScratchDirectory
  let root: String
  let sound: SoundProcess
  private(set) var news: [SoundNews] = []
  private var waiters: [(isTrue: () -> Bool, resume: () -> Void)] = []

  /// Its socket is descriptor 3; `$0` is its own path.
  init(_ script: String, _ change: (inout SoundProgram) -> Void = { _ in }) throws {
    scratch = try ScratchDirectory()
    root = scratch.path
    let path = "\(root)/program"
    let file = try #require(fopen(path, "w"))
    fputs("#!/bin/sh\ncd \(root)\n\(script)\n", file)
    fclose(file)
    chmod(path, 0o700)
    var program = SoundProgram(path: path)
    change(&program)
    sound = SoundProcess(program, environment: ["PATH": "/usr/bin:/bin", "MARK": "set"])
    sound.told = { [weak self] in self?.note($0) }
  }

  private func note(_ what: SoundNews) {
    news.append(what)
    let ready = waiters.filter { $0.isTrue() }
    waiters.removeAll { $0.isTrue() }
    for waiter in ready { waiter.resume() }
  }

  /// Until something that is told of has come true; the suite's time limit ends what never does.
  func wait(_ isTrue: @escaping () -> Bool) async {
    if isTrue() { return }
    await withCheckedContinuation { continuation in
      waiters.append((isTrue, { continuation.resume() }))
    }
  }

  /// Until something that nobody tells of has come true.
  func poll(_ isTrue: () -> Bool) async throws {
    while !isTrue() { try await Task.sleep(for: .milliseconds(5)) }
  }

  var processes: Int? { sound.statistics.first { $0.name == "processes" }?.value }

  func text(_ name: String) -> String {
    guard let file = fopen("\(root)/\(name)", "r") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }
}

private func isThere(_ pid: String) -> Bool {
  guard let pid = pid_t(pid) else { return false }
  return kill(pid, 0) == 0
}

@Suite("SoundProcess", .serialized, .timeLimit(.minutes(1))) @MainActor struct SoundProcessTests {
  /// Says that it is ready, and leaves at the first message.
  private static let polite = """
    echo $$ >>pids
    printf '\\201\\000\\001a\\001b' >&3
    dd bs=2000 count=1 <&3 >/dev/null 2>&1
    """
  private static let ready = SoundNews.ready(AudioReady(echo: .off, capture: "a", playback: "b"))

  @Test("what the program says is told, and it inherits its socket and nothing else")
  func inherits() async throws {
    // A descriptor that nobody marked to be closed.
    let careless = dup(0)
    defer { close(careless) }
    let scene = try Scene(
      """
      ls -l /proc/$$/fd >files
      echo "$MARK $@" >words
      ps -o pgid= -p $$ | tr -d ' ' >group; echo $$ >pids
      grep -E 'Sig(Ign|Blk)' /proc/self/status >signals
      printf '\\201\\000\\001a\\001b' >&3
      printf '\\202xyz' >&3
      printf '\\204\\000\\001gone' >&3
      printf 'what' >&3
      exec sleep 100
      """)
    signal(SIGPIPE, SIG_IGN)
    scene.sound.begin()
    await scene.wait { scene.news.count >= 3 }
    #expect(
      scene.news == [Self.ready, .frame(Array("xyz".utf8)), .notice(.captureGone, "gone")])
    let files = scene.lines("files").compactMap { line in
      line.split(separator: " ").dropLast(2).last.flatMap { Int($0) }
    }
    // 255 or 10 is the shell's own, for the script that it reads; ls looks at the shell's.
    #expect(files.filter { $0 < 10 } == [0, 1, 2, 3])
    #expect(scene.text("words") == "set call --fd 3\n")
    #expect(scene.text("group") == scene.text("pids"))
    // The two that are ignored, 32 and 33, are the C library's own.
    #expect(
      scene.lines("signals") == ["SigBlk:\t0000000000000000", "SigIgn:\t0000000180000000"])
    scene.sound.shutDown()
    #expect(!isThere(scene.lines("pids").first ?? ""))
  }

  @Test("frames, muting and the end reach it; one that stays is killed after its grace")
  func stays() async throws {
    let scene = try Scene(
      """
      trap '' TERM
      echo $$ >>pids
      printf '\\201\\000\\001a\\001b' >&3
      for number in 1 2 3; do dd bs=2000 count=1 <&3 2>/dev/null | od -An -tx1 >>messages; done
      echo said >>messages
      exec sleep 100
      """)
    scene.sound.begin()
    await scene.wait { scene.news.first == Self.ready }
    scene.sound.play(sequence: 258, opus: [9, 8])
    scene.sound.mute(true)
    scene.sound.end()
    #expect(scene.processes == 1)
    try await scene.poll { scene.processes == 0 }
    #expect(scene.lines("messages") == [" 01 00 00 01 02 09 08", " 02 01", " 03", "said"])
    #expect(!isThere(scene.lines("pids").first ?? ""))
    // It was told to leave: nothing to tell.
    #expect(scene.news == [Self.ready])
  }

  @Test("a crash is told, with what it said, and it starts again once; then the call is silent")
  func crashes() async throws {
    let scene = try Scene(
      """
      echo "$@" >>words
      printf '\\201\\000\\001a\\001b' >&3
      printf 'no good\\nmore\\n' >&2
      head -c 300000 /dev/zero >&2
      kill -9 $$
      """
    ) { $0.output = "heard.wav" }
    scene.sound.begin()
    await scene.wait { scene.news.count == 4 }
    let reason = "airlink-callaudio was ended by signal 9: no good"
    #expect(
      scene.news == [
        Self.ready, .restarted(because: reason), Self.ready, .gone(because: reason),
      ])
    #expect(
      scene.lines("words") == [
        "call --fd 3 --audio-out=heard.wav", "call --fd 3 --audio-out=heard.2.wav",
      ])
    #expect(scene.processes == 0)
    // The next call has its own restart.
    scene.sound.begin()
    await scene.wait { scene.news.count == 8 }
    #expect(scene.news[4...].map { $0 } == Array(scene.news[..<4]))
  }

  @Test("what gives a reason for its end, or was used wrongly, is not tried again")
  func refuses() async throws {
    let saying = try Scene("printf '\\205\\001no such device' >&3; exit 1")
    saying.sound.begin()
    await saying.wait { !saying.news.isEmpty }
    #expect(saying.news == [.gone(because: "no such device")])
    let usage = try Scene("echo 'there is no --x' >&2; exit 2")
    usage.sound.begin()
    await usage.wait { !usage.news.isEmpty }
    #expect(usage.news == [.gone(because: "airlink-callaudio ended with 2: there is no --x")])
    let missing = try Scene("") { $0 = SoundProgram(path: "/nonexistent/program") }
    missing.sound.begin()
    #expect(
      missing.news == [
        .gone(because: "/nonexistent/program cannot be started: No such file or directory")
      ])
    // And what comes of the call then comes to nothing.
    missing.sound.play(sequence: 1, opus: [1])
    missing.sound.mute(true)
    missing.sound.end()
  }

  @Test("twenty calls in a row, one on the heels of another, leave no process")
  func twenty() async throws {
    let scene = try Scene(Self.polite)
    for call in 1...20 {
      scene.sound.begin()
      await scene.wait { scene.news.count == call }
    }
    // Each begins once the one before is gone.
    scene.sound.end()
    try await scene.poll { scene.processes == 0 }
    #expect(scene.lines("pids").count == 20)
    #expect(scene.lines("pids").allSatisfy { !isThere($0) })
  }

  @Test("a node that ends takes the process along, one that does not listen too")
  func shutDown() async throws {
    let scene = try Scene(
      "echo $$ >>pids; printf '\\201\\000\\001a\\001b' >&3; exec sleep 100")
    scene.sound.begin()
    await scene.wait { !scene.news.isEmpty }
    let pid = scene.lines("pids").first ?? ""
    #expect(isThere(pid))
    scene.sound.shutDown()
    #expect(!isThere(pid))
    #expect(scene.processes == 0)
  }
}
