import CommandLine
import Foundation
import Testing

@testable import PacketDump

@Suite("packetdump: what it declares") struct DeclarationTests {
  @Test("the declarations have no flaws")
  func flaws() { #expect(PacketDump.command.flaws == []) }

  @Test("the manual page and the declarations agree, and it names every field and word")
  func manPage() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appending(
      components: "Executables", "airlink-packetdump", "airlink-packetdump.1")
    let source = try String(contentsOf: page, encoding: .utf8)
    let difference = PacketDump.command.difference(toManPage: source)
    #expect(difference.missing == [])
    #expect(difference.undeclared == [])
    let words = Set(source.split { " ,;|()[]\"\n".contains($0) }.map(String.init))
    for word in FilterParser.fields + FilterParser.marks {
      #expect(words.contains(word), "\(word)")
    }
  }

  @Test("help, versions and completions leave with 0", arguments: ["bash", "zsh", "fish"])
  func common(shell: String) throws {
    let bench = try Bench()
    #expect(bench.run(words: ["--help"]).code == .done)
    let version = bench.run(words: ["--version"]).lines.map { $0.split(separator: " ") }
    #expect(version.map { $0[0] } == ["airlink-packetdump", "libpcap"])
    #expect(version.allSatisfy { $0.count == 2 && $0[1].contains(".") })
    let completions = bench.run(words: ["--completions", shell])
    #expect(completions.code == .done && completions.output.contains("filter"))
  }

  @Test(
    "what makes no sense is refused before anything is read",
    arguments: [
      ["--json", "-v", "x"], ["--stats", "-v", "x"], ["-c", "0", "x"], ["a", "b"],
      ["--filter", "kind = hello", "x"], ["--filter", "", "x"],
    ])
  func usage(words: [String]) throws {
    let result = try Bench().run(words: words)
    #expect(result.code == .usage)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("airlink-packetdump: error: "))
  }
}
