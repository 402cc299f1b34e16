import AudioPipe
import SoundCard
import Testing
import Wire

@testable import CallAudio

@Suite("When a sound card is told of") struct CardWatchTests {
  private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test("what mends itself within a second is not worth a word", arguments: CardDirection.allCases)
  func short(direction: CardDirection) {
    var watch = CardWatch(direction, start: .zero)
    #expect(watch.note(isRunning: false, at: at(900)) == nil)
    #expect(watch.note(isRunning: true, at: at(950)) == nil)
    for turn in 1...20 {
      #expect(watch.note(isRunning: false, at: at(turn * 1_000)) == nil)
      #expect(watch.note(isRunning: false, at: at(turn * 1_000 + 900)) == nil)
      #expect(watch.note(isRunning: true, at: at(turn * 1_000 + 950)) == nil)
    }
  }

  @Test("a card that is gone is told of once, and when it is back")
  func gone() {
    var capture = CardWatch(.capture, start: .zero)
    var playback = CardWatch(.playback, start: .zero)
    #expect(capture.note(isRunning: false, at: at(1_000)) == .captureGone)
    #expect(playback.note(isRunning: false, at: at(1_000)) == .playbackGone)
    #expect(capture.note(isRunning: false, at: at(60_000)) == nil)
    #expect(capture.note(isRunning: true, at: at(61_000)) == .captureBack)
    #expect(capture.note(isRunning: true, at: at(62_000)) == nil)
    #expect(playback.note(isRunning: true, at: at(61_000)) == .playbackBack)
    #expect(capture.note(isRunning: false, at: at(70_000)) == nil)
    #expect(capture.note(isRunning: false, at: at(71_000)) == .captureGone)
  }
}

@Suite("What belongs together of played and heard") struct EchoAlignmentTests {
  private func report(_ samples: Int, _ delay: Double, at: Int64, generation: Int = 1) -> CardReport
  {
    var report = CardReport()
    report.isRunning = true
    report.generation = generation
    var position = CardReport.Position()
    (position.samples, position.delay, position.at) = (samples, delay, at)
    report.position = position
    return report
  }

  /// 20 ms in nanoseconds, and in samples.
  private static let (tick, frame): (Int64, Int) = (20_000_000, 480)

  @Test("the sample that sounded while the microphone heard, and a little newer")
  func offset() {
    var alignment = EchoAlignment()
    #expect(alignment.offset == nil)
    for number in 0..<100 {
      let now = Int64(number) * Self.tick
      // 60 ms wait in the loudspeaker's card, 10 in the microphone's, which began 1 s later; the
      // loudspeaker's figures are 5 ms old.
      alignment.note(
        playback: report(number * Self.frame + 50_000 - 120, 1_440, at: now - 5_000_000),
        capture: report(number * Self.frame + 26_000, 240, at: now), now: now)
    }
    #expect(alignment.offset == 50_000 - 1_440 - 26_000 - 240 + EchoAlignment.margin)
    #expect(alignment.driftPpm == 0)
  }

  @Test("a stream that began anew is aligned anew; old figures and none say nothing")
  func anew() {
    var alignment = EchoAlignment()
    for number in 0..<100 {
      let now = Int64(number) * Self.tick
      alignment.note(
        playback: report(number * Self.frame, 0, at: now),
        capture: report(number * Self.frame, 0, at: now), now: now)
    }
    #expect(alignment.offset == EchoAlignment.margin)
    var without = report(0, 0, at: 0)
    without.position = nil
    alignment.note(playback: without, capture: without, now: 100 * Self.tick)
    #expect(alignment.offset == EchoAlignment.margin)
    let old = 100 * Self.tick - EchoAlignment.stale
    alignment.note(
      playback: report(9_000, 0, at: old, generation: 2),
      capture: report(0, 0, at: 100 * Self.tick),
      now: 100 * Self.tick)
    #expect(alignment.offset == EchoAlignment.margin)
    let now = 101 * Self.tick
    alignment.note(
      playback: report(9_000, 0, at: now, generation: 2), capture: report(0, 0, at: now), now: now)
    #expect(alignment.offset == 9_000 + EchoAlignment.margin)
  }
}

@Suite("Whether the system cancels echo") struct SystemEchoTests {
  private static let listing = """
    Source #1
    \tState: SUSPENDED
    \tName: alsa_input.usb
    \tDescription: My echo-cancel wonder microphone
    \tDriver: module-alsa-card.c
    \tProperties:
    \t\tdevice.class = "sound"
    Source #2
    \tName: tidy
    \tDescription: tidy
    \tDriver: module-echo-cancel.c
    Source #3
    \tName: pw_source
    \tDriver: PipeWire
    \tProperties:
    \t\tnode.name = "echo-cancel-source"

    """

  @Test(
    "the default source counts, by its maker and not by what somebody called it",
    arguments: [
      ("alsa_input.usb\n", false), ("tidy\n", true), ("pw_source\n", true), ("none\n", false),
      ("\n", false),
    ])
  func reads(source: String, cancels: Bool) {
    #expect(SystemEcho.cancels(defaultSource: source, listing: Self.listing) == cancels)
    #expect(!SystemEcho.cancels(defaultSource: source, listing: ""))
  }

  @Test("a card that is opened past the sound server is not asked about")
  func direct() { #expect(!SystemEcho.cancels(device: "hw:0,0")) }
}
