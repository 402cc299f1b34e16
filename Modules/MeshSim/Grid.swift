/// Which devices are near a place: the area in squares as wide as the widest range.
struct Grid {
  private let width: Int
  private let height: Int
  private let cell: Double
  private var squares: [[Int]]

  init(_ scenario: Scenario) {
    cell = max(1, scenario.radios.map(\.range).max() ?? 1)
    width = max(1, min(4_096, Int(scenario.area.width / cell) + 1))
    height = max(1, min(4_096, Int(scenario.area.height / cell) + 1))
    squares = Array(repeating: [], count: width * height)
  }

  private func square(of place: Place) -> (x: Int, y: Int) {
    func index(_ value: Double, _ count: Int) -> Int {
      Int(max(0, min(Double(count - 1), (value / cell).rounded(.down))))
    }
    return (index(place.x, width), index(place.y, height))
  }

  mutating func clear() {
    for index in squares.indices { squares[index].removeAll(keepingCapacity: true) }
  }

  mutating func add(_ device: Int, at place: Place) {
    let (x, y) = square(of: place)
    squares[y * width + x].append(device)
  }

  /// Calls `body` with every device in the nine squares around a place.
  func forEach(near place: Place, _ body: (Int) -> Void) {
    let (x, y) = square(of: place)
    for row in max(0, y - 1)...min(height - 1, y + 1) {
      for column in max(0, x - 1)...min(width - 1, x + 1) {
        for device in squares[row * width + column] { body(device) }
      }
    }
  }
}

/// How many hops lie between devices.
///
/// A class for its memory's sake, which is made once and says nothing between two searches.
final class BreadthSearch {
  private var stamps: [UInt32]
  private var stamp: UInt32 = 0
  private var queue: [(device: Int, distance: Int)] = []

  init(count: Int) { stamps = Array(repeating: 0, count: count) }

  /// Visits every device within `limit` hops of `start`, nearest first, until `visit` says to stop.
  ///
  /// `neighbours` calls back with each device that hears the given one directly; `visit` tells
  /// whether the search goes on beyond a device.
  func run(
    from start: Int, limit: Int, neighbours: (Int, (Int) -> Void) -> Void,
    visit: (_ device: Int, _ distance: Int) -> Visit
  ) {
    stamp &+= 1
    queue.removeAll(keepingCapacity: true)
    queue.append((start, 0))
    stamps[start] = stamp
    var next = 0
    while next < queue.count {
      let (device, distance) = queue[next]
      next += 1
      switch visit(device, distance) {
      case .stop: return
      case .pass: continue
      case .goOn: break
      }
      guard distance < limit else { continue }
      neighbours(device) { other in
        guard stamps[other] != stamp else { return }
        stamps[other] = stamp
        queue.append((other, distance + 1))
      }
    }
  }

  enum Visit { case goOn, pass, stop }
}
