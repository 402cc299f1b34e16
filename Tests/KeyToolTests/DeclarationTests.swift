import CommandLine
import Foundation
import Testing

@testable import KeyTool

@Suite("keytool: what it declares") struct DeclarationTests {
  @Test("the declarations have no flaws")
  func flaws() { #expect(KeyTool.command.flaws == []) }

  @Test("the manual page and the declarations agree")
  func manPage() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appending(components: "Executables", "airlink-keytool", "airlink-keytool.1")
    let source = try String(contentsOf: page, encoding: .utf8)
    let difference = KeyTool.command.difference(toManPage: source)
    #expect(difference.missing == [])
    #expect(difference.undeclared == [])
  }

  @Test("help, versions and completions leave with 0", arguments: ["bash", "zsh", "fish"])
  func common(shell: String) throws {
    let desk = try Desk()
    let help = desk.run(words: ["--help"])
    #expect(help.code == .done)
    for command in KeyTool.command.subcommands {
      #expect(help.output.contains("\n  \(command.name) "))
      #expect(desk.run(words: [command.name, "--help"]).code == .done)
    }
    let version = desk.run(words: ["--version"]).lines
    #expect(
      version.map { $0.split(separator: " ")[0] } == [
        "airlink-keytool", "libsodium", "libqrencode",
      ])
    let completions = desk.run(words: ["--completions", shell])
    #expect(completions.code == .done && completions.output.contains("passphrase-file"))
  }
}

@Suite("keytool: QR code") struct QRCodeTests {
  @Test("the code has its three finder patterns, light around it, and fits 80 columns")
  func shape() throws {
    let code = try QRCode("airlink-card-v1:" + String(repeating: "A", count: 268))
    let finder = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"]
    for (row, column) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
      let found = (row..<row + 7).map { row in
        String((column..<column + 7).map { code.isDark(row: row, column: $0) ? "#" : " " })
      }
      #expect(found == finder)
    }
    #expect(code.width + 2 * QRCode.quietZone <= 80)
    let lines = code.text(colors: false).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count == code.width + 8 })
    #expect(lines.count == (code.width + 8 + 1) / 2)
    #expect(lines[0].allSatisfy { $0 == "\u{2588}" })
    #expect(lines[3].hasPrefix("\u{2588}\u{2588}\u{2588}\u{2588}"))
  }

  @Test("in colours each line brings and resets its own")
  func colors() throws {
    let lines = try QRCode("airlink").text(colors: true).split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[97;40m") && $0.hasSuffix("\u{1B}[0m") })
  }

  @Test("the largest card fits; what is too long is an error")
  func limits() throws {
    let desk = try Desk()
    desk.create("ada", name: String(repeating: "\u{1F98A}", count: 16))
    let shown = desk.run("ada", "show", "--qr")
    #expect(shown.code == .done)
    #expect(shown.lines.count > 30)
    #expect(throws: Failure.self) { try QRCode(String(repeating: "x", count: 5_000)) }
  }
}
