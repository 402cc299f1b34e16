internal import CommandLine
internal import Glibc
internal import MeshSim
internal import Wire

/// Pictures of runs, as SVG.
enum Pictures {
  private static let side = 640.0
  private static let margin = 40.0

  static func write(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure("\(quoted(path)): \(systemMessage(errno))") }
    defer { close(descriptor) }
    do throws(WriteError) {
      try TextSink.descriptor(descriptor).write(text)
    } catch {
      throw Failure("\(quoted(path)): cannot be written")
    }
  }

  // MARK: The map of a flood

  /// Every device, every link, and how one packet went: the later a device had it, the darker.
  static func flood(_ outcome: Outcome, _ arrivals: [Arrival]) -> String {
    let places = outcome.positions
    let (minX, maxX) = (places.map(\.x).min() ?? 0, places.map(\.x).max() ?? 1)
    let (minY, maxY) = (places.map(\.y).min() ?? 0, places.map(\.y).max() ?? 1)
    let scale = (side - 2 * margin) / max(1, maxX - minX, maxY - minY)
    func point(_ device: Int) -> (String, String) {
      (
        short(margin + (places[device].x - minX) * scale),
        short(margin + (places[device].y - minY) * scale)
      )
    }
    var svg = head("one flood: \(outcome.summary.name), seed \(outcome.summary.seed)")
    for (a, b) in outcome.links where places.indices.contains(a) && places.indices.contains(b) {
      svg += line(point(a), point(b), "#e4e4e4", 0.6)
    }
    let firstTime = arrivals.first?.time ?? .zero
    let length = max(1, milliseconds((arrivals.last?.time ?? .zero) - firstTime))
    var reached: [Int: Double] = [:]
    for arrival in arrivals where reached[arrival.to] == nil {
      let part = milliseconds(arrival.time - firstTime) / length
      reached[arrival.to] = part
      svg += line(point(arrival.from), point(arrival.to), color(part), 1.4)
    }
    for device in places.indices {
      let (x, y) = point(device)
      let fill = reached[device].map(color) ?? "#ffffff"
      svg += "<circle cx='\(x)' cy='\(y)' r='3' fill='\(fill)' stroke='#555' stroke-width='.5'/>\n"
    }
    if let origin = arrivals.first?.from {
      let (x, y) = point(origin)
      svg += "<circle cx='\(x)' cy='\(y)' r='7' fill='none' stroke='#d00' stroke-width='2'/>\n"
    }
    let caption =
      "\(reached.count) devices reached by \(arrivals.count) transmissions in \(short(length)) ms"
    return svg + text(margin, side - 12, caption) + "</svg>\n"
  }

  // MARK: Delivery over time

  /// Which part of the texts was shown, and confirmed, how long after it was written.
  static func delivery(_ outcome: Outcome) -> String {
    let summary = outcome.summary
    var svg = head("delivery over time: \(summary.name), seed \(summary.seed)")
    let longest = max(summary.delaysToDeliver.last ?? 1, summary.delaysToShow.last ?? 1, 10)
    var decades = 1
    while pow10(decades) < longest { decades += 1 }
    for decade in 0...decades {
      let x = margin + (side - 2 * margin) * Double(decade) / Double(decades)
      svg += line((short(x), short(margin)), (short(x), short(side - margin)), "#ddd", 1)
      svg += text(x - 14, side - margin + 16, "\(Int(pow10(decade))) ms")
    }
    for part in [0.0, 0.25, 0.5, 0.75, 1] {
      let y = side - margin - (side - 2 * margin) * part
      svg += line((short(margin), short(y)), (short(side - margin), short(y)), "#ddd", 1)
      svg += text(4, y + 4, "\(Int(part * 100))%")
    }
    for (delays, color) in [(summary.delaysToShow, "#07c"), (summary.delaysToDeliver, "#d60")] {
      var points = ""
      for (index, delay) in delays.enumerated()
      where index % max(1, delays.count / 400) == 0 || index == delays.count - 1 {
        let x = margin + (side - 2 * margin) * log10(max(1, delay)) / Double(decades)
        let share = Double(index + 1) / Double(max(1, summary.written))
        points += "\(short(x)),\(short(side - margin - (side - 2 * margin) * share)) "
      }
      svg += "<polyline points='\(points)' fill='none' stroke='\(color)' stroke-width='2'/>\n"
    }
    return svg + text(margin, side - 6, "blue: shown; orange: receipt back") + "</svg>\n"
  }

  // MARK: Cost against size

  /// Points on two logarithmic scales, joined, with the slope of the line through them.
  static func growth(_ title: String, _ points: [(x: Double, y: Double)]) -> String {
    var svg = head(title)
    let (lowX, highX) = bounds(points.map(\.x))
    let (lowY, highY) = bounds(points.map(\.y))
    func place(_ point: (x: Double, y: Double)) -> (String, String) {
      let width = side - 2 * margin
      return (
        short(margin + width * (log10(point.x) - lowX) / max(1e-9, highX - lowX)),
        short(side - margin - width * (log10(point.y) - lowY) / max(1e-9, highY - lowY))
      )
    }
    for (a, b) in zip(points, points.dropFirst()) { svg += line(place(a), place(b), "#07c", 2) }
    for point in points {
      let (x, y) = place(point)
      svg += "<circle cx='\(x)' cy='\(y)' r='4' fill='#07c'/>\n"
      svg += "<text x='\(x)' y='\(y)' dx='6' dy='14'>\(short(point.x)): \(short(point.y))</text>\n"
    }
    return svg + text(margin, side - 12, "slope \(short(slope(points)))") + "</svg>\n"
  }

  /// The slope of the line of least squares through the logarithms.
  static func slope(_ points: [(x: Double, y: Double)]) -> Double {
    let logs = points.filter { $0.x > 0 && $0.y > 0 }.map { (log10($0.x), log10($0.y)) }
    let count = Double(max(1, logs.count))
    let meanX = logs.reduce(0) { $0 + $1.0 } / count
    let meanY = logs.reduce(0) { $0 + $1.1 } / count
    let above = logs.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    let below = logs.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
    return below > 0 ? above / below : 0
  }

  // MARK: Details

  private static func bounds(_ values: [Double]) -> (Double, Double) {
    let logs = values.filter { $0 > 0 }.map { log10($0) }
    return (logs.min() ?? 0, logs.max() ?? 1)
  }

  private static func pow10(_ power: Int) -> Double {
    (0..<power).reduce(1.0) { value, _ in value * 10 }
  }

  private static func milliseconds(_ duration: Duration) -> Double {
    Double(duration.wholeNanoseconds) / 1e6
  }

  private static func head(_ title: String) -> String {
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='\(Int(side))' height='\(Int(side))' \
    font-family='sans-serif' font-size='11'>
    <title>\(title)</title>
    <rect width='100%' height='100%' fill='#fff'/>
    <text x='\(Int(margin))' y='20' font-size='14'>\(title)</text>

    """
  }

  private static func line(
    _ from: (String, String), _ to: (String, String), _ color: String, _ width: Double
  ) -> String {
    "<line x1='\(from.0)' y1='\(from.1)' x2='\(to.0)' y2='\(to.1)' stroke='\(color)' "
      + "stroke-width='\(width)'/>\n"
  }

  private static func text(_ x: Double, _ y: Double, _ words: String) -> String {
    "<text x='\(short(x))' y='\(short(y))'>\(words)</text>\n"
  }

  /// From light to dark.
  private static func color(_ part: Double) -> String {
    let level = Int(200 - 180 * min(1, max(0, part)))
    return "rgb(\(level / 2),\(level),\(min(255, level + 55)))"
  }

  private static func short(_ value: Double) -> String {
    "\((value * 100).rounded() / 100)"
  }
}
