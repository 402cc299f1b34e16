internal import Wire

/// Where devices walk.
extension Simulation {
  /// Moves a device by one tick.
  mutating func move(_ device: Int) {
    guard time >= devices[device].restsUntil else { return }
    if devices[device].speed == 0 { setOut(device) }
    let seconds = Double(tickLength) / 1_000_000_000
    let (place, target) = (devices[device].place, devices[device].target)
    let distance = place.squaredDistance(to: target).squareRoot()
    let step = devices[device].speed * seconds
    guard step < distance else {
      devices[device].place = target
      devices[device].speed = 0
      let pause = Double.random(in: scenario.pause, using: &chance.motion)
      devices[device].restsUntil = time + Int64(pause * 1_000_000_000)
      return
    }
    devices[device].place.x += (target.x - place.x) / distance * step
    devices[device].place.y += (target.y - place.y) / distance * step
  }

  /// Chooses where a device goes next, and how fast.
  private mutating func setOut(_ device: Int) {
    devices[device].speed = max(0.01, Double.random(in: scenario.speed, using: &chance.motion))
    let (width, height) = scenario.area
    let here = devices[device].place
    switch scenario.mobility {
    case .still: break
    case .waypoint:
      devices[device].target = Place(
        x: Double.random(in: 0...width, using: &chance.motion),
        y: Double.random(in: 0...height, using: &chance.motion))
    case .gate:
      let gate = Place(x: width / 2, y: height / 2)
      devices[device].target =
        here.x < gate.x - 0.5
        ? gate
        : Place(
          x: Double.random(in: min(width, gate.x + 1)...width, using: &chance.motion),
          y: Double.random(in: 0...height, using: &chance.motion))
    case .walkers: devices[device].target = Place(x: here.x + scenario.spacing, y: here.y)
    case .villages:
      var centre = Layouts.centre(of: device, scenario)
      if scenario.isCourier(device) {
        let (first, second) = (Layouts.village(0, scenario), Layouts.village(1, scenario))
        let isAtFirst = here.squaredDistance(to: first) < here.squaredDistance(to: second)
        centre = isAtFirst ? second : first
      }
      devices[device].target = Layouts.around(
        centre, within: scenario.spacing, in: scenario.area, &chance.motion)
    }
  }
}
