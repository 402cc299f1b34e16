import Glibc
import TestSupport
import Testing

@testable import SoundProcess

@Suite("SoundProgram") struct SoundProgramTests {
  @Test("every option has its word, and a second start writes into a file of its own")
  func words() {
    var program = SoundProgram(path: "/opt/airlink-callaudio")
    #expect(
      program.words(descriptor: 3) == ["/opt/airlink-callaudio", "call", "--fd", "3"])
    program.device = "-odd"
    program.input = "in.wav"
    program.output = "a/heard.wav"
    program.echo = "nlms"
    #expect(
      program.words(descriptor: 3).dropFirst(4) == [
        "--audio=-odd", "--audio-in=in.wav", "--audio-out=a/heard.wav", "--echo=nlms",
      ])
    #expect(program.words(descriptor: 3, isRestart: true)[6] == "--audio-out=a/heard.2.wav")
  }

  @Test(
    "the second file's name",
    arguments: [
      ("heard.wav", "heard.2.wav"), ("heard", "heard.2"), ("a.b/heard", "a.b/heard.2"),
      (".wav", ".wav.2"), ("x/.wav", "x/.wav.2"), ("a.b.wav", "a.b.2.wav"),
      ("/dev/null", "/dev/null.2"),
    ])
  func second(_ name: String, _ expected: String) {
    var program = SoundProgram(path: "/x")
    program.output = name
    #expect(program.secondOutput == expected)
  }

  @Test("beside the executable first, then on PATH; nothing empty, relative or no program counts")
  func found() throws {
    let scratch = try ScratchDirectory()
    let root = scratch.path
    let name = SoundProgram.name
    #expect(
      system(
        "cd '\(root)' && mkdir a b c c/\(name) && touch a/\(name) b/\(name) && chmod +x b/\(name)")
        == 0)
    #expect(
      SoundProgram.find(beside: "\(root)/b/airlink-node", searching: nil) == "\(root)/b/\(name)")
    #expect(SoundProgram.find(beside: "\(root)/airlink-node", searching: nil) == nil)
    // Not executable, a directory, relative, empty.
    let path = "\(root)/a:\(root)/c::.:b:\(root)/b"
    #expect(SoundProgram.find(beside: nil, searching: path) == "\(root)/b/\(name)")
    #expect(SoundProgram.find(beside: nil, searching: "b::.") == nil)
  }

  @Test("a process knows the file that it runs")
  func own() {
    #expect(SoundProgram.ownPath?.hasPrefix("/") == true)
  }
}
