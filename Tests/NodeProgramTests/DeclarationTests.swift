import CommandLine
import Foundation
import Testing

@testable import airlink_node

@Suite("node: what it declares") struct DeclarationTests {
  @Test("the declarations have no flaws")
  func flaws() { #expect(NodeOptions.command.flaws == []) }

  @Test("the manual page and the declarations agree")
  func manPage() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appending(components: "Executables", "airlink-node", "airlink-node.1")
    let source = try String(contentsOf: page, encoding: .utf8)
    let difference = NodeOptions.command.difference(toManPage: source)
    #expect(difference.missing == [])
    #expect(difference.undeclared == [])
  }
}
