import Glibc
import Testing

@testable import EventLoop

/// Turns are taken by hand, or by Dispatch's main queue where a test waits for them.
@Suite("event loop") @MainActor struct EventLoopTests {
  private let loop = EventLoop()

  /// The ends of a new pipe.
  private func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  private func send(_ descriptor: CInt) { _ = write(descriptor, "x", 1) }

  @Test("a descriptor is told as ready for as long as it is, and not before")
  func ready() throws {
    let pipe = try pipe()
    var told: [EventLoop.Readiness] = []
    let watch = try #require(loop.watch(pipe.reading, for: .read) { told.append($0) })
    loop.turn(mayWait: false)
    #expect(told.isEmpty)
    send(pipe.writing)
    loop.turn(mayWait: true)
    loop.turn(mayWait: true)
    #expect(told.map(\.isReadable) == [true, true])
    #expect(told.map(\.isWritable) == [false, false])
    loop.unwatch(watch)
    loop.turn(mayWait: false)
    #expect(told.count == 2)
    close(pipe.reading)
    close(pipe.writing)
  }

  @Test("what it is watched for may change; its end is told whatever that is")
  func interest() throws {
    let pipe = try pipe()
    var told: [EventLoop.Readiness] = []
    let watch = try #require(loop.watch(pipe.writing, for: .none) { told.append($0) })
    loop.turn(mayWait: false)
    #expect(told.isEmpty)
    loop.change(watch, to: .readAndWrite)
    loop.turn(mayWait: true)
    #expect(told.map(\.isWritable) == [true])
    loop.change(watch, to: .none)
    loop.turn(mayWait: false)
    #expect(told.count == 1)
    close(pipe.reading)
    loop.turn(mayWait: true)
    #expect(told.count == 2)
    loop.unwatch(watch)
    close(pipe.writing)
  }

  @Test("what is ready with another that ends it in the same turn is told no more")
  func endedInTheSameTurn() throws {
    let pipes = try (pipe(), pipe())
    final class Watches {
      var all: [EventLoop.Watch] = []
    }
    let watches = Watches()
    var told = 0
    for pipe in [pipes.0, pipes.1] {
      let watch = loop.watch(pipe.reading, for: .read) { _ in
        told += 1
        for watch in watches.all { loop.unwatch(watch) }
        close(pipes.0.reading)
        close(pipes.1.reading)
      }
      try watches.all.append(#require(watch))
    }
    send(pipes.0.writing)
    send(pipes.1.writing)
    loop.turn(mayWait: true)
    loop.turn(mayWait: false)
    #expect(told == 1)
    close(pipes.0.writing)
    close(pipes.1.writing)
  }

  @Test("a turn serves as many descriptors as it may, and the others in the next ones")
  func turnsAreBounded() throws {
    let pipes = try (0..<20).map { _ in try pipe() }
    var told: [Int] = []
    let watches = try pipes.indices.map { index in
      send(pipes[index].writing)
      return try #require(loop.watch(pipes[index].reading, for: .read) { _ in told.append(index) })
    }
    loop.turn(mayWait: true)
    #expect(told.count == EventLoop.eventsPerTurn)
    for _ in 0..<3 { loop.turn(mayWait: true) }
    #expect(Set(told) == Set(0..<20), "nobody waits while others are served twice")
    for watch in watches { loop.unwatch(watch) }
    for pipe in pipes {
      close(pipe.reading)
      close(pipe.writing)
    }
  }

  @Test("a file cannot be waited for, nor a number that is no descriptor")
  func unwatchable() throws {
    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(loop.watch(file, for: .read) { _ in } == nil)
    close(file)
    #expect(loop.watch(-1, for: .read) { _ in } == nil)
  }

  @Test("work for the next turn is done in order; what it asks for comes a turn later")
  func nextTurn() {
    var done: [String] = []
    loop.nextTurn {
      done.append("a")
      loop.nextTurn { done.append("c") }
    }
    loop.nextTurn { done.append("b") }
    #expect(done.isEmpty)
    loop.turn(mayWait: true)
    #expect(done == ["a", "b"])
    loop.turn(mayWait: true)
    #expect(done == ["a", "b", "c"])
  }

  @Test("what waits for quiet is done once nothing else is, and after a few turns at the latest")
  func quiet() {
    var turns = 0
    var quietAfter: Int?
    loop.whenQuiet(.show) { quietAfter = turns }
    loop.nextTurn { turns += 1 }
    loop.turn(mayWait: true)
    #expect(quietAfter == nil)
    loop.turn(mayWait: true)
    #expect(quietAfter == 1)

    func busy() {
      turns += 1
      if turns < 100 { loop.nextTurn(busy) }
    }
    (turns, quietAfter) = (0, nil)
    loop.nextTurn(busy)
    loop.whenQuiet(.show) { quietAfter = turns }
    for _ in 0..<50 { loop.turn(mayWait: true) }
    #expect(quietAfter == EventLoop.turnsWithoutQuiet)
  }

  @Test("in a quiet moment a message is shown, then remembered, then confirmed")
  func stages() {
    var done: [EventLoop.Stage] = []
    for stage in [EventLoop.Stage.send, .remember, .show, .send] {
      loop.whenQuiet(stage) { done.append(stage) }
    }
    loop.turn(mayWait: true)
    #expect(done == [.show, .remember, .send, .send])
    loop.whenQuiet(.send) { done.append(.send) }
    loop.settle()
    loop.turn(mayWait: false)
    #expect(done.count == 5)
  }

  @Test("where nobody runs it, Dispatch's main queue takes its turns", .timeLimit(.minutes(1)))
  func hosted() async throws {
    let pipe = try pipe()
    var watch: EventLoop.Watch?
    await withCheckedContinuation { done in
      watch = loop.watch(pipe.reading, for: .read) { _ in
        var byte: UInt8 = 0
        _ = read(pipe.reading, &byte, 1)
        loop.nextTurn { loop.whenQuiet(.send) { done.resume() } }
      }
      send(pipe.writing)
    }
    if let watch { loop.unwatch(watch) }
    close(pipe.reading)
    close(pipe.writing)
  }
}
