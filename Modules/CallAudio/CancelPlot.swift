internal import CommandLine
internal import EchoNLMS
internal import Glibc

/// Draws a report's figures over time as SVG 1.1, one panel below the other.
struct CancelPlot {
  private static let width = 800.0
  private static let panelHeight = 140.0
  private static let margin = 60.0
  private var body = ""
  private let seconds: [EchoMeter.Second]
  private var top = 30.0

  init(_ seconds: [EchoMeter.Second], title: String) {
    self.seconds = seconds
    text(Self.margin, 20, title)
    panel("echo removed (dB)") { $0.removed.map(Double.init) }
    panel("delay (ms)") { $0.state.delay.map(milliseconds) }
    panel("drift (ppm)") { $0.state.drift.map(Double.init) }
    panel("resets") { Double($0.state.resets) }
  }

  /// The whole file.
  var svg: String {
    let height = top + 30
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
      font-family="sans-serif" font-size="12">
      <rect width="\(Self.width)" height="\(height)" fill="white"/>
      \(body)</svg>

      """
  }

  private mutating func text(_ x: Double, _ y: Double, _ words: String, end: Bool = false) {
    body += "<text x=\"\(x)\" y=\"\(y)\"\(end ? " text-anchor=\"end\"" : "")>\(words)</text>\n"
  }

  private mutating func panel(_ name: String, _ value: (EchoMeter.Second) -> Double?) {
    let bottom = top + Self.panelHeight - 30
    let values = seconds.map(value)
    let known = values.compactMap { $0 }
    let low = min(0, known.min() ?? 0)
    let high = max(low + 1, known.max() ?? 1)
    let span = Self.width - 2 * Self.margin
    func x(_ place: Int) -> Double {
      Self.margin + span * (Double(place) + 0.5) / Double(max(1, values.count))
    }
    func y(_ value: Double) -> Double {
      bottom - (bottom - top - 20) * (value - low) / (high - low)
    }
    text(Self.margin, top + 12, name)
    text(Self.margin - 6, y(high) + 4, tenths(high), end: true)
    text(Self.margin - 6, y(low) + 4, tenths(low), end: true)
    body += "<path d=\"M\(Self.margin) \(top + 20)V\(bottom)H\(Self.width - Self.margin)\" "
    body += "fill=\"none\" stroke=\"gray\"/>\n"
    var path = ""
    var isDown = false
    for (place, value) in values.enumerated() {
      guard let value else {
        isDown = false
        continue
      }
      path += "\(isDown ? "L" : "M")\(rounded(x(place), 10)) \(rounded(y(value), 10))"
      if !isDown { path += "h0.1" }
      isDown = true
    }
    if !path.isEmpty {
      body += "<path d=\"\(path)\" fill=\"none\" stroke=\"#1565c0\" stroke-width=\"2\" "
      body += "stroke-linecap=\"round\"/>\n"
    }
    text(Self.width - Self.margin, bottom + 16, "\(values.count) s", end: true)
    top += Self.panelHeight
  }
}

extension CancelReport {
  /// Draws the seconds into a file, over what is there.
  func plot(to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else {
      throw Failure("cannot write \(quoted(path)): \(systemMessage(errno))")
    }
    defer { close(descriptor) }
    let title = "airlink-callaudio cancel --backend \(backend.rawValue)"
    do throws(WriteError) {
      try TextSink.descriptor(descriptor).write(CancelPlot(seconds, title: title).svg)
    } catch {
      throw Failure("cannot write \(quoted(path))")
    }
  }
}
