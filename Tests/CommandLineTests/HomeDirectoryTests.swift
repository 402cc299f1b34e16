import CommandLine
import Testing

@Suite struct HomeDirectoryTests {
  let all = [
    "AIRLINK_HOME": "/a", "XDG_DATA_HOME": "/x", "XDG_STATE_HOME": "/s", "HOME": "/home/me",
  ]

  @Test("an option goes before a variable, and a variable before what is usual")
  func order() throws {
    #expect(try HomeDirectory.resolve(option: "here", environment: all) == "here")
    #expect(try HomeDirectory.resolve(option: nil, environment: all) == "/a")
    var less = all
    less["AIRLINK_HOME"] = nil
    #expect(try HomeDirectory.resolve(option: nil, environment: less) == "/x/airlink")
    less["XDG_DATA_HOME"] = nil
    #expect(
      try HomeDirectory.resolve(option: nil, environment: less) == "/home/me/.local/share/airlink")
    #expect(try HomeDirectory.state(environment: less) == "/s/airlink")
    less["XDG_STATE_HOME"] = nil
    #expect(try HomeDirectory.state(environment: less) == "/home/me/.local/state/airlink")
  }

  @Test("empty values count as unset, and relative ones where the standard says so")
  func unset() throws {
    #expect(try HomeDirectory.resolve(option: "", environment: all) == "/a")
    let empty = ["AIRLINK_HOME": "", "XDG_DATA_HOME": "", "HOME": "/h"]
    #expect(try HomeDirectory.resolve(option: nil, environment: empty) == "/h/.local/share/airlink")
    let relative = ["XDG_DATA_HOME": "x", "XDG_STATE_HOME": "x", "HOME": "/"]
    #expect(
      try HomeDirectory.resolve(option: nil, environment: relative) == "/.local/share/airlink")
    #expect(try HomeDirectory.state(environment: relative) == "/.local/state/airlink")
    #expect(
      try HomeDirectory.resolve(option: nil, environment: ["AIRLINK_HOME": "mine"]) == "mine")
  }

  @Test(
    "with no home at all the failure says what to do",
    arguments: [[:], ["HOME": ""], ["HOME": "h"]])
  func none(environment: [String: String]) {
    let failure = #expect(throws: Failure.self) {
      try HomeDirectory.resolve(option: nil, environment: environment)
    }
    #expect(failure?.hints == ["say where AirLink's files live with --home DIR"])
  }
}
