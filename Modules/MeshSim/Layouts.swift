internal import Wire

/// Where devices stand when the world begins.
enum Layouts {
  static func places(_ scenario: Scenario, _ random: inout SplitMix64) -> [Place] {
    let count = scenario.devices
    switch scenario.layout {
    case .random:
      let isGate = scenario.mobility == .gate
      return (0..<count).map { _ in
        Place(
          x: Double.random(in: 0...scenario.area.width, using: &random) * (isGate ? 0.5 : 1),
          y: Double.random(in: 0...scenario.area.height, using: &random))
      }
    case .grid:
      var columns = 1
      while columns * columns < count { columns += 1 }
      return (0..<count).map {
        Place(
          x: Double($0 % columns) * scenario.spacing, y: Double($0 / columns) * scenario.spacing)
      }
    case .line: return (0..<count).map { Place(x: Double($0) * scenario.spacing, y: 0) }
    case .villages:
      return (0..<count).map { device in
        around(
          centre(of: device, scenario), within: scenario.spacing, in: scenario.area, &random)
      }
    }
  }

  /// The middle of a device's village; couriers start in the first.
  static func centre(of device: Int, _ scenario: Scenario) -> Place {
    let villagers = scenario.devices - scenario.couriers
    let isFirst = device >= villagers || device < villagers / 2
    return village(isFirst ? 0 : 1, scenario)
  }

  static func village(_ number: Int, _ scenario: Scenario) -> Place {
    let (width, height) = scenario.area
    return number == 0
      ? Place(x: min(scenario.spacing, width), y: min(scenario.spacing, height))
      : Place(x: max(0, width - scenario.spacing), y: max(0, height - scenario.spacing))
  }

  /// A place within so many metres of another.
  static func around(
    _ place: Place, within radius: Double, in area: (width: Double, height: Double),
    _ random: inout SplitMix64
  ) -> Place {
    // From the square, until it is in the circle: no sines, which differ from library to library.
    while true {
      let offset = Place(
        x: Double.random(in: -radius...radius, using: &random),
        y: Double.random(in: -radius...radius, using: &random))
      guard offset.squaredDistance(to: Place()) <= radius * radius else { continue }
      return Place(
        x: min(max(0, place.x + offset.x), area.width),
        y: min(max(0, place.y + offset.y), area.height))
    }
  }
}

extension Scenario {
  /// Attackers are the last devices, couriers aside, which are the last of all.
  func role(of device: Int) -> Role {
    var place = devices - 1 - device
    if layout == .villages { place -= couriers }
    guard place >= 0 else { return .honest }
    let kinds: [(Role, Int)] = [
      (.flooder, attackers.flooders), (.replayer, attackers.replayers),
      (.forger, attackers.forgers), (.blackHole, attackers.blackHoles),
      (.relabeller, attackers.relabellers),
    ]
    for (role, count) in kinds {
      if place < count { return role }
      place -= count
    }
    return .honest
  }

  func isCourier(_ device: Int) -> Bool { layout == .villages && device >= devices - couriers }
}
