import Glibc
import Testing

@testable import SoundCard

@Suite("What is wrong with a sound device") struct CardErrorTests {
  @Test(
    "is named by what can be done about it",
    arguments: [
      (ENOENT, CardError.Kind.missing, "there is none by that name"),
      (ENODEV, .missing, "there is none by that name"),
      (EBUSY, .busy, "another program uses it"),
      (EACCES, .forbidden, "not allowed (see the group 'audio')"),
      (EPERM, .forbidden, "not allowed (see the group 'audio')"),
      (EIO, .other, "Input/output error"),
    ])
  func kinds(code: CInt, kind: CardError.Kind, words: String) {
    for (direction, what) in [(CardDirection.capture, "record from"), (.playback, "play on")] {
      let error = CardError("hw:0", direction, code: -code)
      #expect(error.kind == kind && error.device == "hw:0")
      #expect("\(error)".hasPrefix("cannot \(what) the sound device: "))
      #expect("\(error)".contains(words), "\(error)")
    }
  }

  @Test("a device that no configuration knows is missing, both ways, also through plug")
  func missing() {
    for direction in CardDirection.allCases {
      for name in ["airlink-has-none-such", "airlink'quoted", "plug:airlink-none", ""] {
        do throws(CardError) {
          _ = try CardStream(name, direction)
          Issue.record("'\(name)' was opened")
        } catch {
          #expect(error.device == name && error.direction == direction)
          #expect(!error.reason.isEmpty && !"\(error)".contains("\n"))
        }
      }
    }
  }
}
