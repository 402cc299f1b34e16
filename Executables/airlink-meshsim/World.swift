internal import CLinux
internal import Glibc
internal import Mesh
internal import MeshSim
internal import Wire

/// What a run came to, and what it cost.
struct Outcome {
  let summary: Summary
  let texts: [SentText]
  /// Of processor time.
  let seconds: Double
  let positions: [(x: Double, y: Double)]
  let links: [(Int, Int)]
  /// Bytes that the heap held for each device when the run was over.
  let heapPerDevice: Int
}

/// Runs worlds.
@MainActor enum World {
  /// Keys of the model's world: any will do.
  private static let worldKey: UInt64 = 0x5117

  static func model(_ scenario: Scenario, _ seed: UInt64, until step: Int = .max, _ view: View?)
    throws -> Outcome
  {
    try run(scenario, seed, until: step, view) { device, life in
      ModelCryptography(
        person: UInt64(device) + 1, worldKey: worldKey,
        seed: seed &* 1_000_003 &+ UInt64(device) << 20 &+ UInt64(life))
    }
  }

  static func real(_ scenario: Scenario, _ seed: UInt64, until step: Int = .max, _ view: View?)
    throws -> Outcome
  {
    try run(scenario, seed, until: step, view) { device, life in
      guard
        let cryptography = SeededCryptography(
          person: UInt64(device) + 1, worldKey: worldKey,
          seed: seed &* 1_000_003 &+ UInt64(device) << 20 &+ UInt64(life))
      else { preconditionFailure("a seed of another length") }
      return cryptography
    }
  }

  private static func run<Cryptography: MeshCryptography>(
    _ scenario: Scenario, _ seed: UInt64, until step: Int, _ view: View?,
    _ make: @escaping (Int, Int) -> Cryptography
  ) throws -> Outcome {
    let before = heap()
    let began = processor()
    var world = Simulation(scenario, seed: seed, make: make)
    if let view, view.watches { world.onArrival = { view.note($0) } }
    world.run(until: step)
    let seconds = processor() - began
    let heap = Self.heap() - before
    return Outcome(
      summary: world.summary, texts: world.texts, seconds: seconds,
      positions: world.positions, links: world.linkedDevices,
      heapPerDevice: heap / max(1, world.deviceCount))
  }

  private static func heap() -> Int { Int(mallinfo2().uordblks) + Int(mallinfo2().hblkhd) }

  /// Seconds of this process's processor time: other programs on the machine do not count.
  private static func processor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
