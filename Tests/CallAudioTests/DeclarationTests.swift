import CommandLine
import Foundation
import Testing

@testable import CallAudio

@Suite("callaudio: what it declares") struct DeclarationTests {
  @Test("the declarations have no flaws")
  func flaws() { #expect(CallAudio.command.flaws == []) }

  @Test("the manual page and the declarations agree")
  func manPage() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appending(
      components: "Executables", "airlink-callaudio", "airlink-callaudio.1")
    let source = try String(contentsOf: page, encoding: .utf8)
    let difference = CallAudio.command.difference(toManPage: source)
    #expect(difference.missing == [])
    #expect(difference.undeclared == [])
  }

  @Test("help, versions and completions leave with 0", arguments: ["bash", "zsh", "fish"])
  func common(shell: String) throws {
    let bench = try Bench()
    #expect(bench.run("--help").code == .done)
    for command in CallAudio.command.subcommands {
      #expect(bench.run(command.name, "--help").code == .done)
    }
    let version = bench.run("--version").output
    #expect(version.hasPrefix("airlink-callaudio \(airLinkVersion)\nlibasound "))
    for library in ["libogg", "libopus", "libspeexdsp"] {
      #expect(version.contains("\n\(library) "))
    }
    #expect(bench.run("--completions", shell).output.contains("no-suppressor"))
  }
}
