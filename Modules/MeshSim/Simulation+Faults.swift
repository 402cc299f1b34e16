internal import Identity
internal import Mesh
internal import Wire

/// Radios that go off, nodes that are killed and start again.
extension Simulation {
  mutating func planFaults() {
    let faults = scenario.faults
    for device in devices.indices where devices[device].role == .honest {
      if Double.random(in: 0..<1, using: &chance.faults) < faults.radioOffShare {
        plan(.radioOff, device, within: faults.radioOffEvery)
      }
      if Double.random(in: 0..<1, using: &chance.faults) < faults.restartShare {
        plan(.kill, device, within: faults.restartEvery)
      }
    }
  }

  private mutating func plan(_ kind: Event.Kind, _ device: Int, within period: Duration) {
    let wait = Int64.random(
      in: period.wholeNanoseconds / 2...max(1, period.wholeNanoseconds * 3 / 2),
      using: &chance.faults)
    queue.push(Event(kind: kind, device: UInt32(device)), at: time + wait)
  }

  mutating func switchRadio(_ device: Int, isOn: Bool) {
    guard !isDraining else { return }
    setOnAir(device) { $0.hasRadio = isOn }
    if isOn {
      plan(.radioOff, device, within: scenario.faults.radioOffEvery)
    } else {
      queue.push(
        Event(kind: .radioOn, device: UInt32(device)),
        at: time + scenario.faults.radioOffFor.wholeNanoseconds)
    }
  }

  /// Ends a node as a kill does: its memory is lost, its disk stays.
  mutating func kill(_ device: Int) {
    guard devices[device].isRunning, !isDraining else { return }
    setOnAir(device) { $0.isRunning = false }
    devices[device].wakeAt = .max
    for place in ledger.texts.indices
    where ledger[place].sender == device && ledger[place].deliveredAt == nil {
      ledger[place].isHopeless = true
    }
    queue.push(
      Event(kind: .start, device: UInt32(device)),
      at: time + scenario.faults.restartAfter.wholeNanoseconds)
  }

  mutating func start(_ device: Int) {
    guard !devices[device].isRunning, !isDraining else { return }
    devices[device].life += 1
    devices[device].received = 0
    devices[device].mesh = makeMesh(
      device, make(device, devices[device].life), devices[device].mesh.contacts,
      devices[device].journal)
    devices[device].isRunning = true
    plan(.kill, device, within: scenario.faults.restartEvery)
  }
}
