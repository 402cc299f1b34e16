import AudioPipe
import Chat
import Identity
import Node
import SoundProcess
import Testing
import Wire

/// A sound that records what is asked of it.
@MainActor
private final class RecordingSound: CallSound {
  var told: (SoundNews) -> Void = { _ in }
  private(set) var log: [String] = []
  private(set) var played: [[UInt8]] = []
  var onBegin: () -> Void = {}

  func begin() {
    log.append("begin")
    onBegin()
  }

  func play(sequence: UInt32, opus: [UInt8]) { played.append(opus) }
  func mute(_ isMuted: Bool) { log.append("mute \(isMuted)") }
  func end() { log.append("end") }
  func shutDown() { log.append("shut down") }
  var statistics: [(name: String, value: Int)] { [("processes", 7)] }
}

@Suite("The sound of a node's calls", .timeLimit(.minutes(1))) @MainActor struct NodeSoundTests {
  private let sounds = [RecordingSound(), RecordingSound()]

  /// Two nodes in a call.
  private func call(
    _ change: (inout Node.Parts) -> Void = { _ in }
  ) async throws -> (ada: TestNode, ben: TestNode) {
    let ada = try TestNode("Ada") { $0.sound = sounds[0] }
    let ben = try TestNode("Ben") {
      $0.sound = sounds[1]
      $0.answersCalls = true
      change(&$0)
    }
    MemoryTransport.connect(ada.transport, ben.transport)
    _ = await ada.front.event { $0.peer != nil }
    _ = await ben.front.event { $0.peer != nil }
    ada.front.ask(.call(.number(ben.fingerprint.number)))
    _ = await ada.front.event { $0.call?.state == .connected }
    _ = await ben.front.event { $0.call?.state == .connected }
    return (ada, ben)
  }

  private func warnings(_ node: TestNode) -> [ChatWarning] {
    node.front.events.compactMap { if case .warning(let warning) = $0 { warning } else { nil } }
  }

  @Test("it begins when both can speak, carries frames both ways and ends with the call")
  func carries() async throws {
    let (ada, ben) = try await call()
    #expect(sounds.allSatisfy { $0.log == ["begin"] })
    sounds[0].told(.frame([1, 2, 3]))
    sounds[1].told(.frame([4, 5]))
    while !sounds[1].played.contains([1, 2, 3]) { await Task.yield() }
    while !sounds[0].played.contains([4, 5]) { await Task.yield() }
    #expect(sounds[1].played.filter { $0 == [1, 2, 3] }.count == 1)
    ada.front.ask(.mute(true))
    ada.front.ask(.mute(false))
    ada.front.ask(.hangUp())
    _ = await ben.front.event { $0.call?.state == .ended(.remoteEnded) }
    #expect(sounds[0].log == ["begin", "mute true", "mute false", "end"])
    #expect(sounds[1].log == ["begin", "end"])
    #expect(ada.figure("sound.processes") == 7)
    // What comes late, from a process that is leaving, is nobody's.
    let before = ada.front.events.count
    sounds[0].told(.notice(.captureGone, "late"))
    sounds[0].told(.frame([9]))
    #expect(ada.front.events.count == before)
    ada.node.stop()
    #expect(sounds[0].log.last == "shut down")
  }

  @Test("its figures are told as quality, and summed up at the end")
  func figures() async throws {
    let (ada, _) = try await call()
    var statistics = AudioStatistics()
    (statistics.due, statistics.lost) = (100, 7)
    (statistics.jitterMs, statistics.bufferMs) = (12.4, 80.6)
    (statistics.echoRemovedDB, statistics.processorPercent) = (31.5, 4.4)
    sounds[0].told(.statistics(statistics))
    guard case .quality(let quality)? = ada.front.events.last else {
      Issue.record("no quality was told")
      return
    }
    #expect(quality.road == .mesh && quality.lossPercent == 7 && quality.jitterMilliseconds == 12)
    #expect(quality.bufferMilliseconds == 81 && quality.echoRemovedDB == 32)
    #expect(quality.cpuPercent == 4)
    // Figures that cannot be true do no harm.
    (statistics.due, statistics.lost) = (0, .max)
    (statistics.bufferMs, statistics.jitterMs) = (-5, -1)
    sounds[0].told(.statistics(statistics))
    (statistics.due, statistics.lost) = (100, .max)
    sounds[0].told(.statistics(statistics))
    guard case .quality(let worst)? = ada.front.events.last else { return }
    #expect(worst.lossPercent == 100 && worst.bufferMilliseconds == 0)
    ada.front.ask(.hangUp())
    let summary = try #require(ada.front.events.last?.call?.summary)
    #expect(summary.directPercent == 0)
    #expect(summary.lossPercent == 54)
    #expect(summary.worstBufferMilliseconds == 81)
  }

  @Test("what goes wrong with it is told with its code, and the call goes on")
  func troubles() async throws {
    let (ada, _) = try await call()
    for notice in AudioNotice.allCases { sounds[0].told(.notice(notice, "\u{1B}[2Jthat")) }
    sounds[0].told(.restarted(because: "signal 9"))
    sounds[0].told(.gone(because: "signal 9"))
    let codes = warnings(ada).compactMap { warning -> String? in
      if case .sound(let code, _) = warning { code } else { nil }
    }
    #expect(
      codes == [
        "capture-gone", "capture-back", "playback-gone", "playback-back", "canceller-off",
        "no-device", "file-failed", "restarted", "gone",
      ])
    #expect(warnings(ada).allSatisfy { !$0.message.contains("\u{1B}") })
    #expect(ada.front.events.last?.call == nil)
    ada.front.ask(.hangUp())
    #expect(ada.front.events.last?.call?.state == .ended(.hungUp))
  }

  @Test("a sound that cannot even begin leaves the call as it is")
  func cannotBegin() async throws {
    sounds[0].onBegin = { [sounds] in sounds[0].told(.gone(because: "it is not installed")) }
    let (ada, ben) = try await call()
    #expect(warnings(ada).count == 1)
    ada.front.ask(.hangUp())
    _ = await ben.front.event { $0.call?.state == .ended(.remoteEnded) }
  }

  @Test("a process gone wild sends no more than a call has")
  func flood() async throws {
    let (ada, _) = try await call()
    let before = ada.transport.sent.count
    for _ in 0..<1_000 { sounds[0].told(.frame([1])) }
    #expect(ada.transport.sent.count - before <= 80)
  }

  @Test("an echo plays nothing itself: it gives back what the caller says, and nothing when muted")
  func echo() async throws {
    let (ada, ben) = try await call { $0.isEchoService = true }
    #expect(sounds[1].log == [])
    sounds[0].told(.frame([7, 7, 7]))
    while !sounds[0].played.contains([7, 7, 7]) { await Task.yield() }
    #expect(sounds[0].played.filter { $0 == [7, 7, 7] }.count == 1)
    ben.front.ask(.mute(true))
    sounds[0].told(.frame([8, 8, 8]))
    sounds[0].told(.frame([9, 9, 9]))
    while !sounds[1].played.contains([9, 9, 9]) { await Task.yield() }
    for _ in 0..<50 { await Task.yield() }
    #expect(!sounds[0].played.contains([8, 8, 8]))
    ada.front.ask(.hangUp())
  }
}
