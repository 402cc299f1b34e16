internal import AudioPipe
internal import CommandLine

/// What became of a simulated call's frames.
struct SimulateReport {
  private var due = 0
  private var lost = 0
  private var recovered = 0
  private var late = 0
  private var adjusted = 0
  private var delays: [Double] = []

  mutating func note(_ statistics: AudioStatistics) {
    due += Int(statistics.due)
    lost += Int(statistics.lost)
    recovered += Int(statistics.recovered)
    late += Int(statistics.late)
    adjusted += Int(statistics.adjusted)
    if let delay = statistics.bufferMs { delays.append(delay) }
  }

  private var lossPercent: Double { due == 0 ? 0 : 100 * Double(lost) / Double(due) }
  private var meanDelay: Double? {
    delays.isEmpty ? nil : delays.reduce(0, +) / Double(delays.count)
  }
  private var mostDelay: Double? { delays.max() }

  var line: String {
    let delay = meanDelay.map { mean in
      "buffer delay \(tenths(mean)) ms, \(tenths(mostDelay ?? mean)) ms at the most"
    }
    return [
      "\(due) frames", "\(tenths(lossPercent)) % were not there in time",
      "\(recovered) of them brought back", "\(max(0, lost - recovered)) filled in",
      "\(late) came too late", delay,
    ].compactMap { $0 }.joined(separator: ", ")
  }

  func object(sent: UInt32, seed: UInt64) -> JSONObject {
    [
      "event": "simulate", "seed": .count(seed), "sent": .count(sent), "due": .count(due),
      "lossPercent": .double(rounded(lossPercent, 10)), "lost": .count(lost),
      "recovered": .count(recovered), "concealed": .count(max(0, lost - recovered)),
      "late": .count(late), "adjusted": .count(adjusted),
      "bufferMs": meanDelay.map { .double(rounded($0, 10)) } ?? .null,
      "mostBufferMs": mostDelay.map { .double(rounded($0, 10)) } ?? .null,
    ]
  }
}
