import CommandLine
import Foundation
import Mesh
import Wire

@testable import MeshSim

/// The seeds of a test: `AIRLINK_SEED` alone when it is set, to run a failed one again.
func seeds(_ count: UInt64) -> [UInt64] {
  let environment = ProcessInfo.processInfo.environment
  if let one = environment["AIRLINK_SEED"].flatMap({ UInt64($0) }) { return [one] }
  return Array(1...count)
}

/// The folder of scenarios that ship with the sources.
let scenarioFolder = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
  .appending(components: "Fixtures", "Scenarios")

/// Every scenario's name but the day's, which is no unit test.
let scenarioNames: [String] =
  ((try? FileManager.default.contentsOfDirectory(atPath: scenarioFolder.path)) ?? [])
  .filter { $0.hasSuffix(".json") && $0 != "day.json" }.sorted()

func readScenario(_ name: String) throws -> Scenario {
  let bytes = try Data(contentsOf: scenarioFolder.appending(component: name))
  return try Scenario(json: try JSONReader.parse(Array(bytes)))
}

func scenario(_ text: String) throws -> Scenario {
  try Scenario(json: try JSONReader.parse(text))
}

/// A world with the model of cryptography.
func world(_ scenario: Scenario, seed: UInt64) -> Simulation<ModelCryptography> {
  Simulation(scenario, seed: seed) { device, life in
    ModelCryptography(
      person: UInt64(device) + 1, worldKey: 5,
      seed: seed &* 1_000_003 &+ UInt64(device) << 20 &+ UInt64(life))
  }
}
