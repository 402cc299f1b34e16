import Glibc
import Testing

@testable import EventLoop

@Suite("event loop: moments and other threads", .timeLimit(.minutes(1))) @MainActor
struct TimerTests {
  private let loop = EventLoop()

  @Test("what is due first is done first, whenever it was asked for; nothing is done early")
  func order() {
    var done: [Int] = []
    let began = TimerList.now
    for pause in [30, 10, 20, 10] {
      loop.after(.milliseconds(pause)) {
        #expect(TimerList.now - began >= Int64(pause) * 1_000_000)
        done.append(pause)
      }
    }
    while done.count < 4 { loop.turn(mayWait: true) }
    #expect(done == [10, 10, 20, 30])
  }

  @Test("a timer that is cancelled is not due, also when another that is due with it does so")
  func cancelled() {
    let box = Box()
    loop.after(.zero) {
      box.numbers.append(1)
      for timer in box.timers { loop.cancel(timer) }
    }
    for number in 2...3 { box.timers.append(loop.after(.zero) { box.numbers.append(number) }) }
    for _ in 0..<3 { loop.turn(mayWait: false) }
    #expect(box.numbers == [1])
    // A second time, and after its turn: nobody's.
    for timer in box.timers { loop.cancel(timer) }
  }

  @Test("a timer that sets itself anew without a pause leaves others their turns")
  func again() {
    var count = 0
    func again() {
      count += 1
      loop.after(.zero, again)
    }
    loop.after(.zero, again)
    var others = 0
    for _ in 0..<5 {
      loop.nextTurn { others += 1 }
      loop.turn(mayWait: true)
    }
    #expect(others == 5)
    #expect((1...10).contains(count))
  }

  @Test("a pause below zero is none, and one past all bounds is never over")
  func extremes() {
    var done = 0
    loop.after(.seconds(-5)) { done += 1 }
    loop.after(.seconds(Int64.max)) { done += 1 }
    for _ in 0..<3 { loop.turn(mayWait: false) }
    #expect(done == 1)
    #expect(loop.timers.millisecondsLeft == .max)
  }

  @Test("the loop waits for its next moment and no longer, and not at all with work to do")
  func waits() {
    #expect(loop.timers.millisecondsLeft == -1)
    loop.after(.seconds(60)) {}
    #expect((59_000...60_001).contains(loop.timers.millisecondsLeft))
    loop.nextTurn {}
    let began = TimerList.now
    loop.turn(mayWait: true)
    #expect(TimerList.now - began < 30_000_000_000)
  }

  @Test("work that other threads post wakes the loop and is done in order, on its own thread")
  func posted() {
    let postbox = loop.mailbox
    let box = Box()
    let isStarted = BackgroundThread.start {
      for number in 0..<1_000 { postbox.post { box.numbers.append(number) } }
    }
    #expect(isStarted)
    while box.numbers.count < 1_000 { loop.turn(mayWait: true) }
    #expect(box.numbers == Array(0..<1_000))
  }

  @Test("a latch holds until it is opened, and no longer for anybody")
  func latch() {
    let latch = Latch()
    #expect(!latch.wait(atMost: .milliseconds(5)))
    _ = BackgroundThread.start { latch.open() }
    latch.wait()
    #expect(latch.wait(atMost: .zero))
  }

  @Test("where nobody runs it, moments and other threads' work have their turns all the same")
  func hosted() async {
    let postbox = loop.postbox
    await withCheckedContinuation { done in
      loop.after(.milliseconds(5)) {
        _ = BackgroundThread.start { postbox.post { done.resume() } }
      }
    }
  }
}

@MainActor
private final class Box {
  var numbers: [Int] = []
  var timers: [EventLoop.Timer] = []
}
