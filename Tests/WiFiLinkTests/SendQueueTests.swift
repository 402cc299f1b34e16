import Testing
import Wire

@testable import WiFiLink

@Suite struct SendQueueTests {
  private func queue(_ change: (inout WiFiLimits) -> Void = { _ in }) -> SendQueue {
    var limits = WiFiLimits.standard
    change(&limits)
    return SendQueue(limits: limits)
  }

  /// Takes everything out in writes of at most `size` bytes.
  private func drain(_ queue: inout SendQueue, by size: Int = .max) -> [UInt8] {
    var bytes: [UInt8] = []
    while !queue.isEmpty {
      let (packets, offset) = queue.next()
      let all = Array(packets.flatMap(\.encoded).dropFirst(offset))
      let count = min(size, all.count)
      bytes += all.prefix(count)
      _ = queue.wrote(count)
    }
    return bytes
  }

  @Test("packets go out in order and whole, however they are cut", arguments: [1, 7, 347, 5_000])
  func order(size: Int) {
    var queue = queue()
    let packets = (1...40).map { Packet.sample(number: UInt64($0)) }
    for packet in packets { #expect(queue.offer(packet) == .queued) }
    #expect(queue.byteCount == packets.count * 348)
    #expect(drain(&queue, by: size) == packets.flatMap(\.encoded))
    #expect(queue.byteCount == 0)
  }

  @Test("no more than sixteen packets go in one write")
  func vectors() {
    var queue = queue()
    for number in 1...40 { _ = queue.offer(.sample(number: UInt64(number))) }
    #expect(queue.next().packets.count == 16)
    #expect(queue.wrote(16 * 348 + 10) == 16)
    #expect(queue.next().packets.count == 16)
    #expect(queue.next().offset == 10)
  }

  @Test("a message over the bound is shed whole, exactly there")
  func bound() {
    var queue = queue { $0.queuedBytes = 348 * 4 }
    for number in 1...4 { #expect(queue.offer(.sample(number: UInt64(number))) == .queued) }
    #expect(queue.offer(.sample(number: 5)) == .shed)
    #expect((queue.shed, queue.shedVoice) == (1, 0))
    #expect(queue.byteCount == 348 * 4)
    _ = queue.wrote(348)
    #expect(queue.offer(.sample(number: 6)) == .queued)
  }

  @Test("voice goes before messages, but never into one that has begun")
  func voiceFirst() {
    var queue = queue()
    let messages = [Packet.sample(number: 1), .sample(number: 2)]
    for message in messages { _ = queue.offer(message) }
    _ = queue.wrote(1)
    let voice = Packet.sample(.voice, payload: 80, number: 3)
    #expect(queue.offer(voice) == .queued)
    #expect(queue.next().packets == [messages[0], voice, messages[1]])
    #expect(
      drain(&queue)
        == messages[0].encoded.dropFirst() + voice.encoded + messages[1].encoded)
  }

  @Test("voice that waits too long makes way for newer voice")
  func oldVoice() {
    var queue = queue { $0.queuedVoiceBytes = 124 * 3 }
    let frames = (1...5).map { Packet.sample(.voice, payload: 80, number: UInt64($0)) }
    for frame in frames { #expect(queue.offer(frame) == .queued) }
    #expect((queue.shed, queue.shedVoice) == (2, 2))
    #expect(queue.next().packets == Array(frames.suffix(3)))
  }

  @Test("queued voice is dropped before a message is refused")
  func voiceShedFirst() {
    var queue = queue { $0.queuedBytes = 348 * 4 }
    _ = queue.offer(.sample(number: 1))
    for number in 2...3 { _ = queue.offer(.sample(.voice, payload: 80, number: UInt64(number))) }
    for number in 4...6 { #expect(queue.offer(.sample(number: UInt64(number))) == .queued) }
    #expect((queue.shed, queue.shedVoice) == (2, 2))
    #expect(queue.offer(.sample(number: 7)) == .shed)
  }

  @Test("voice is refused while a message is still taken")
  func voiceRefusedFirst() {
    var queue = queue { $0.queuedBytes = 348 * 4 }
    _ = queue.offer(.sample(number: 1))
    _ = queue.offer(.sample(number: 2))
    #expect(queue.offer(.sample(.voice, payload: 80, number: 3)) == .shed)
    #expect(queue.offer(.sample(number: 4)) == .queued)
  }

  @Test("a voice frame that has begun to go out is finished whatever is shed")
  func begunVoice() {
    var queue = queue { $0.queuedBytes = 348 }
    let voice = Packet.sample(.voice, payload: 80, number: 1)
    _ = queue.offer(voice)
    _ = queue.wrote(5)
    #expect(queue.offer(.sample(number: 2)) == .shed)
    #expect(drain(&queue) == Array(voice.encoded.dropFirst(5)))
  }

  @Test("whatever is offered and written, only whole packets leave, each in its class's order")
  func anything() {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var queue = queue {
        $0.queuedBytes = 4_000; $0.queuedVoiceBytes = 500
      }
      var taken: [Packet] = []
      var bytes: [UInt8] = []
      for number in 1...400 as ClosedRange<UInt64> {
        let isVoice = Bool.random(using: &generator)
        let packet = Packet.sample(
          isVoice ? .voice : .sealed, payload: isVoice ? 80 : 304, number: number)
        if queue.offer(packet) == .queued { taken.append(packet) }
        #expect(queue.byteCount <= 4_000)
        if Int.random(in: 0..<3, using: &generator) == 0 {
          let (packets, offset) = queue.next()
          let all = packets.flatMap(\.encoded).dropFirst(offset)
          let count = Int.random(in: 0...all.count, using: &generator)
          bytes += all.prefix(count)
          _ = queue.wrote(count)
        }
      }
      bytes += drain(&queue)
      var chunker = StreamChunker(.reliable)
      var out: [Packet] = []
      let misbehaviour = chunker.append(bytes.span.bytes, now: .zero) {
        out.append(Packet(copying: $0))
      }
      #expect(misbehaviour == nil && chunker.statistics.garbage == 0, "seed \(seed)")
      let messages = out.filter { $0.header.kind == .sealed }
      #expect(messages == taken.filter { $0.header.kind == .sealed }, "seed \(seed)")
      let times = out.filter { $0.header.kind == .voice }.map(\.header.time)
      #expect(times == times.sorted(), "seed \(seed)")
      #expect(out.count + queue.shedVoice >= taken.count, "seed \(seed)")
    }
  }
}
