internal import CommandLine
internal import Glibc

/// Two nodes on this machine, linked over the loopback, who have heard each other and written.
///
/// Nothing is lifted for them: they are the programs that ship, with their limits.
final class NodePair {
  let sender: NodeProcess
  let recipient: NodeProcess
  private let line: [UInt8]

  init() throws {
    recipient = try NodeProcess("Ben", "--discovery", "off", "--listen", "127.0.0.1:0")
    sender = try NodeProcess(
      "Ada", "--discovery", "off", "--listen", "127.0.0.1:0", "--peer",
      "127.0.0.1:\(recipient.port)")
    let command: JSONObject = [
      "cmd": "send", "to": .string(recipient.number),
      "text": "Shall we meet at the bridge, at eight in the evening?",
    ]
    line = Array(command.line.utf8)
    for (node, other) in [(sender, recipient), (recipient, sender)] {
      try node.wait("hear \(other.label)") {
        $0["event"] == "peer" && $0["number"] == .string(other.number) && $0["direct"] == true
      }
    }
    // Once each way, so that both have pinned each other, as people have who talk.
    for (node, other) in [(sender, recipient), (recipient, sender)] {
      let command: JSONObject = ["cmd": "send", "to": .string(other.number), "text": "Hello!"]
      try node.write(Array(command.line.utf8))
      try node.wait("get a receipt") { $0["event"] == "state" && $0["state"] == "delivered" }
    }
  }

  /// One text, from the moment it is handed over to the moment its receipt is told, in nanoseconds.
  func exchange() throws -> Double {
    let began = clockNanoseconds()
    let lastMoment = ContinuousClock.now + NodeProcess.patience
    try sender.write(line)
    repeat {
      guard try sender.output.fill(within: NodeProcess.patience), ContinuousClock.now < lastMoment
      else { throw Failure("no receipt came within \(NodeProcess.patience)") }
    } while sender.output.count(delivered) == 0
    let time = clockNanoseconds() - began
    // The recipient's line is there before its receipt is sent.
    while try recipient.output.fill(within: .zero) { _ = recipient.output.count(message) }
    return Double(time)
  }

  /// Keeps `inFlight` texts under way for `duration` and then waits for the last of them.
  ///
  /// A sample is the mean over `sampleLength` or so; the processor time is the busier node's.
  func stream(inFlight: Int, for duration: Duration) throws -> TalkCases.Phase {
    var phase = TalkCases.Phase()
    var underWay = 0
    let lastMoment = ContinuousClock.now + duration + NodeProcess.patience
    let processorTimes = try (sender.processorTime(), recipient.processorTime())
    let began = clockNanoseconds()
    var sampleBegan = began
    let end = began + UInt64(max(duration / .nanoseconds(1), 1))
    var inSample = 0
    while clockNanoseconds() < end {
      try send(inFlight - underWay)
      underWay = inFlight
      let confirmed = try confirmations(nap: Self.nap(inFlight))
      underWay -= confirmed
      inSample += confirmed
      phase.count += confirmed
      let now = clockNanoseconds()
      if now - sampleBegan >= Self.sampleLength, inSample > 0 {
        phase.samples.append(Double(now - sampleBegan) / Double(inSample))
        (sampleBegan, inSample) = (now, 0)
      }
    }
    while underWay > 0 {
      // Other events may go on coming for ever.
      guard ContinuousClock.now < lastMoment else {
        throw Failure("\(underWay) texts got no receipt within \(NodeProcess.patience)")
      }
      let confirmed = try confirmations(nap: 0)
      underWay -= confirmed
      phase.count += confirmed
    }
    // Too short a time for a sample: then all of it is one.
    if phase.samples.isEmpty {
      phase.samples.append(Double(clockNanoseconds() - began) / Double(phase.count))
    }
    phase.processorTime = try max(
      sender.processorTime() - processorTimes.0, recipient.processorTime() - processorTimes.1)
    return phase
  }

  private static let sampleLength: UInt64 = 20_000_000

  /// Microseconds to let events gather before they are looked at; in that time the nodes confirm a
  /// tenth of what is under way, so that they never wait for us, nor we take their processors.
  private static func nap(_ inFlight: Int) -> UInt32 { inFlight < 8 ? 0 : UInt32(20 * inFlight) }

  private func send(_ count: Int) throws {
    guard count > 0 else { return }
    try sender.write(Array(repeatElement(line, count: count).joined()))
  }

  private func confirmations(nap: UInt32) throws -> Int {
    if nap > 0 { usleep(nap) }
    guard try sender.output.fill(within: NodeProcess.patience) else {
      throw Failure("no receipt came within \(NodeProcess.patience)")
    }
    let confirmed = sender.output.count(delivered)
    while try recipient.output.fill(within: .zero) { _ = recipient.output.count(message) }
    return confirmed
  }
}

private let delivered = "\"state\":\"delivered\""
private let message = "\"event\":\"message\""
