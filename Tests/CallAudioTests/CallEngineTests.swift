import AudioPipe
import EchoNLMS
import Foundation
import Testing
import Wire

@testable import CallAudio

@Suite("A call's sound") struct CallEngineTests {
  /// 20 ms of a tone that goes on from frame to frame.
  private func tone(_ number: Int, hertz: Double = 440, amplitude: Float = 0.3) -> [Float] {
    (0..<480).map {
      amplitude * Float(sin(Double(number * 480 + $0) * 2 * .pi * hertz / 24_000))
    }
  }

  private static let silence = [Float](repeating: 0, count: 480)

  private func energy(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }

  /// One side speaks, the other hears; what is heard from frame `from` on.
  private func call(
    frames: Int, from: Int, to speaker: CallEngine, _ hearer: CallEngine,
    lost: (Int) -> Bool = { _ in false }
  ) throws -> Float {
    var now = Instant.zero
    var heard = Self.silence
    var sum: Float = 0
    for number in 0..<frames {
      let frame = try speaker.code(tone(number), farEnd: Self.silence)
      if !lost(number) { hearer.receive(UInt32(number), frame, at: now) }
      hearer.play(into: &heard, at: now)
      if number >= from { sum += energy(heard) }
      now = now + .milliseconds(20)
    }
    return sum
  }

  @Test("what is said on one side is heard on the other")
  func carries() throws {
    let (speaker, hearer) = (try CallEngine(canceller: nil), try CallEngine(canceller: nil))
    let heard = try call(frames: 100, from: 50, to: speaker, hearer)
    let said = energy(tone(0)) * 50
    #expect(heard > said * 0.7 && heard < said * 1.4)
    let figures = hearer.takeStatistics()
    #expect(figures.lost == 0 && figures.due > 90 && figures.bufferMs ?? 0 >= 20)
    #expect(abs((figures.outputDBFS ?? 0) - -13.5) < 1)
    #expect(abs((speaker.takeStatistics().inputDBFS ?? 0) - -13.5) < 0.5)
  }

  @Test("every fifth frame lost is filled in, and told of")
  func loss() throws {
    let (speaker, hearer) = (try CallEngine(canceller: nil), try CallEngine(canceller: nil))
    let heard = try call(frames: 200, from: 100, to: speaker, hearer) { $0 % 5 == 4 }
    #expect(heard > energy(tone(0)) * 100 * 0.6)
    let figures = hearer.takeStatistics()
    #expect((15...25).contains(figures.lossPercent))
    #expect(figures.recovered > 0)
    // The figures are of the time since they were taken.
    #expect(hearer.takeStatistics().due == 0)
  }

  @Test("muted, frames go on, as long as ever, and hold silence")
  func mutes() throws {
    let (speaker, hearer) = (try CallEngine(canceller: nil), try CallEngine(canceller: nil))
    let length = try speaker.code(tone(0), farEnd: Self.silence).count
    speaker.isMuted = true
    #expect(try speaker.code(tone(1), farEnd: Self.silence).count == length)
    let heard = try call(frames: 100, from: 50, to: speaker, hearer)
    #expect(heard < 1e-4)
    #expect(speaker.takeStatistics().isMuted)
  }

  @Test("nobody there is silence, and broken frames are filled in", arguments: [true, false])
  func nothing(broken: Bool) throws {
    let engine = try CallEngine(canceller: nil)
    var heard = tone(0)
    for number in 0..<100 {
      let now = Instant.zero + .milliseconds(20 * number)
      if broken { engine.receive(UInt32(number), [0xFF, 0xFF, 1, 2, 3], at: now) }
      engine.play(into: &heard, at: now)
      #expect(heard.allSatisfy { $0.isFinite && abs($0) <= 1 })
    }
    if !broken { #expect(energy(heard) == 0) }
  }

  @Test(
    "the echo of what is played is taken out, by each canceller",
    arguments: [
      AudioReady.Echo.nlms, .speex,
    ])
  func cancels(echo: AudioReady.Echo) throws {
    let engine = try CallEngine(canceller: echo.makeCanceller())
    var noise = Noise(seed: 9)
    var before = Self.silence
    for _ in 0..<400 {
      let far = noise.samples(480).map { Float($0) / 32_768 }
      // 10 ms late and half as loud.
      let microphone = (before.suffix(240) + far.prefix(240)).map { $0 / 2 }
      _ = try engine.code(microphone, farEnd: far)
      before = far
    }
    let figures = engine.takeStatistics()
    #expect(figures.echoRemovedDB ?? 0 > 15, "\(figures)")
    #expect(!engine.hasCancellerGivenUp)
  }

  @Test("what the system cancels is not cancelled again")
  func system() {
    #expect(AudioReady.Echo.system.makeCanceller() == nil)
    #expect(AudioReady.Echo.off.makeCanceller() == nil)
    #expect(EchoChoice.auto.resolved(auto: .system) == .system)
    for choice in EchoChoice.allCases where choice != .auto {
      #expect("\(choice.resolved(auto: .off))" == choice.rawValue)
    }
  }
}
