internal import CommandLine
internal import EchoNLMS

/// What a run of `cancel` found.
struct CancelReport {
  let backend: EchoBackend
  let addedDelay: Int
  private(set) var seconds: [EchoMeter.Second] = []
  private var state = EchoState()
  private var removed: Float?
  private var samples = 0
  private var processorSeconds: Double = 0

  init(backend: EchoBackend, addedDelay: Int) {
    self.backend = backend
    self.addedDelay = addedDelay
  }

  mutating func add(_ second: EchoMeter.Second) { seconds.append(second) }

  mutating func finish(_ run: CancelRun) {
    state = run.state
    removed = run.total.removed
    samples = run.samples
    processorSeconds = run.processorSeconds
  }

  private var audioSeconds: Double { Double(samples) / Double(EchoFormat.sampleRate) }
  /// Percent of one core.
  private var processorPercent: Double {
    audioSeconds > 0 ? 100 * processorSeconds / audioSeconds : 0
  }

  /// The whole as one line for people.
  var line: String {
    var parts = [backend.rawValue]
    parts.append(removed.map { "\(tenths(Double($0))) dB of echo removed" } ?? "no echo heard")
    parts += state.words
    parts.append("\(state.resets) \(state.resets == 1 ? "reset" : "resets")")
    if state.isOff { parts.append("switched itself off") }
    parts.append("\(hundredths(processorPercent)) % of a core over \(tenths(audioSeconds)) s")
    return parts.joined(separator: ", ")
  }

  var object: JSONObject {
    var object: JSONObject = ["event": "cancel", "backend": .string(backend.rawValue)]
    object["seconds"] = .double(rounded(audioSeconds, 1_000))
    object.add(removed: removed, state: state)
    object["processorPercent"] = .double(rounded(processorPercent, 1_000))
    object["addedDelayMs"] = .double(milliseconds(addedDelay))
    return object
  }
}

extension EchoMeter.Second {
  func line(number: Int) -> String {
    var parts = [removed.map { "\(tenths(Double($0))) dB removed" } ?? "far end silent"]
    parts += state.words
    if state.isOff { parts.append("off") }
    return "\(number) s: " + parts.joined(separator: ", ")
  }

  func object(number: Int) -> JSONObject {
    var object: JSONObject = ["event": "second", "second": .count(number)]
    object.add(removed: removed, state: state)
    return object
  }
}

extension JSONObject {
  fileprivate mutating func add(removed: Float?, state: EchoState) {
    self["echoRemovedDB"] = removed.map { .double(rounded(Double($0), 10)) } ?? .null
    self["delayMs"] = state.delay.map { .double(milliseconds($0)) } ?? .null
    self["driftPpm"] = state.drift.map { .double(rounded(Double($0), 10)) } ?? .null
    self["resets"] = .count(state.resets)
    self["off"] = .bool(state.isOff)
  }
}

extension EchoState {
  fileprivate var words: [String] {
    var parts: [String] = []
    if let delay { parts.append("delay \(tenths(milliseconds(delay))) ms") }
    if let drift { parts.append("drift \(tenths(Double(drift))) ppm") }
    return parts
  }
}

func milliseconds(_ samples: Int) -> Double {
  rounded(Double(samples) * 1_000 / Double(EchoFormat.sampleRate), 100)
}

func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

/// With one digit behind the point.
func tenths(_ value: Double) -> String { "\(rounded(value, 10))" }

private func hundredths(_ value: Double) -> String { "\(rounded(value, 100))" }
