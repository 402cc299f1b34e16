import Mesh
import Testing
import Wire

/// Whole meshes from one seed each.
///
/// `AIRLINK_SEEDS` says how many, `AIRLINK_SEED` which one.
@Suite("whole meshes") struct MeshPropertyTests {
  @Test("whatever happens: nothing twice, nothing forged, nothing lost for good")
  func anything() {
    var messages = 0
    for seed in seeds(12) {
      let world = MeshWorld(seed: seed, devices: 12)
      for step in 0..<80 {
        world.step()
        if let fault = world.faults.first {
          Issue.record("AIRLINK_SEED=\(seed), step \(step): \(fault)")
          return
        }
      }
      world.heal()
      world.net.run(for: .seconds(3_600))
      #expect(world.faults.isEmpty, "AIRLINK_SEED=\(seed), after all was mended")
      let undelivered = world.undelivered.map(\.text)
      #expect(undelivered.isEmpty, "AIRLINK_SEED=\(seed)")
      #expect(world.net.idleWakes == 0, "AIRLINK_SEED=\(seed)")
      messages += world.messages.count
    }
    #expect(messages > 20, "the account is of something")
  }
}
