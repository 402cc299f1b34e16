import Chat
import Glibc
import Testing

@Suite("Entered lines")
struct EnteredLineTests {
  @Test(
    "what is typed is a text, a command or nothing",
    arguments: [
      ("", .nothing), ("   ", .nothing), ("\n\n", .nothing), ("hello", .text("hello")),
      (" /who", .text(" /who")), ("//who", .text("/who")), ("//", .text("/")),
      ("/who", .command(.who, operands: [])), ("/WHO", .command(.who, operands: [])),
      ("/to  Bob   Jones ", .command(.to, operands: ["Bob", "Jones"])),
      ("/", .unknown("")), ("/ who", .unknown("")), ("/foo bar", .unknown("foo")),
      ("/who\n/quit", .text("/who\n/quit")), ("/quit\r", .text("/quit\r")),
    ] as [(String, EnteredLine)])
  func meaning(line: String, expected: EnteredLine) {
    #expect(EnteredLine(line) == expected)
  }

  @Test("the manual page names every command", arguments: SlashCommand.allCases)
  func manual(command: SlashCommand) throws {
    let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = try #require(fopen("/\(path)/Executables/airlink-node/airlink-node.1", "r"))
    defer { fclose(file) }
    var page = [UInt8](repeating: 0, count: 1 << 18)
    let count = fread(&page, 1, page.count, file)
    #expect(String(decoding: page[..<count], as: UTF8.self).contains("/\(command.rawValue)"))
  }

  @Test("every command has its words in the help", arguments: SlashCommand.allCases)
  func documented(command: SlashCommand) {
    #expect(!command.summary.isEmpty)
    #expect("/\(command.rawValue) \(command.operands)".count <= 30)
    #expect(EnteredLine("/\(command.rawValue)") == .command(command, operands: []))
  }
}
