import CommandLine
import Mesh
import Outbox
import Testing
import Wire

@testable import MeshSim

@Suite("scenario files") struct ScenarioTests {
  @Test("every one that ships is readable and says what it is", arguments: scenarioNames)
  func ships(name: String) throws {
    let scenario = try readScenario(name)
    #expect(scenario.name + ".json" == name)
    #expect(!scenario.about.isEmpty)
  }

  @Test("there are some")
  func some() { #expect(scenarioNames.count > 10) }

  @Test("what is said is taken, what is not said stays")
  func fields() throws {
    let scenario = try scenario(
      """
      {"name": "x", "devices": 7, "area": [3, 4.5], "layout": "line", "duration": 60,
       "radios": [{"kind": "wifi", "range": 9, "latencyMs": [1, 2]}, {"kind": "ble", "loss": 0.5}],
       "texts": {"each": 3, "between": [1, 2], "bytes": [16, 17], "to": "ends"},
       "faults": {"clockSkew": 1.5}, "attackers": {"forgers": 2},
       "policy": {"relayWaitMs": [10, 50], "answersRepeats": false, "resendsOnHello": false,
         "hopLimits": [[2, 9], ["more", 4]], "schedule": [5], "laterStep": 7},
       "expect": {"delivered": 0.5}}
      """)
    #expect(scenario.devices == 7)
    #expect(scenario.area == (3, 4.5))
    #expect(scenario.radios.map(\.name) == ["wifi", "ble"])
    #expect(scenario.radios[0].range == 9)
    #expect(scenario.radios[0].latency == .milliseconds(1)...(.milliseconds(2)))
    #expect(scenario.radios[1].chunkLossPPM == 500_000)
    #expect(scenario.radios[1].range == Radio.bluetooth.range)
    #expect(scenario.textsEach == 3)
    #expect(scenario.addressees == .ends)
    #expect(scenario.faults.clockSkew == .milliseconds(1_500))
    #expect(scenario.attackers.count == 2)
    #expect(scenario.policy.relayWait == .milliseconds(10)...(.milliseconds(50)))
    #expect(!scenario.policy.answersRepeats)
    #expect(scenario.policy.outbox.schedule == [.seconds(5)])
    #expect(scenario.expectations.delivered == 0.5)
    #expect(scenario.mobility == .still)
  }

  @Test(
    "what makes no sense is refused in words",
    arguments: [
      ("[]", "wants an object"), (#"{"devises": 3}"#, "no field is called 'devises'"),
      (#"{"devices": 0}"#, "whole number"), (#"{"devices": 1.5}"#, "whole number"),
      (#"{"devices": -9223372036854775808}"#, "whole number"),
      (#"{"area": [1]}"#, "2 numbers"), (#"{"area": [1, "x"]}"#, "2 numbers"),
      (#"{"layout": "heap"}"#, "one of random"), (#"{"speed": [2, 1]}"#, "lower number first"),
      (#"{"tick": 0}"#, "a number"), (#"{"radios": []}"#, "1 to 8"),
      (#"{"radios": [3]}"#, "wants an object"), (#"{"radios": [{"kind": "lora"}]}"#, "one of"),
      (#"{"texts": {"bytes": [1, 9]}}"#, "within 16"), (#"{"name": 5}"#, "a text"),
      (#"{"policy": {"answersRepeats": 1}}"#, "true or false"),
      (#"{"policy": {"schedule": 5}}"#, "a list"), (#"{"policy": {"schedule": [0]}}"#, "seconds"),
      (#"{"policy": {"hopLimits": [[1, 2]]}}"#, "ends with"),
      (#"{"policy": {"hopLimits": [["more", 16]]}}"#, "wants"),
      (#"{"devices": 3, "attackers": {"flooders": 3}}"#, "no device over"),
    ])
  func refused(text: String, words: String) {
    #expect {
      _ = try scenario(text)
    } throws: { error in
      (error as? ScenarioError)?.description.contains(words) == true
    }
  }
}
