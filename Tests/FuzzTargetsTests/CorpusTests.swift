import Foundation
import FuzzTargets
import Testing

/// What libFuzzer found, played back: every input that once led somewhere new, or broke something.
@Suite("made-up inputs") struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(components: "Fixtures", "fuzz")

  private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(component: target.rawValue)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(component: $0))))
    }
  }

  @Test("every input that is kept breaks no rule", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(!inputs.isEmpty)
    for (name, bytes) in inputs {
      let rule = target.run(bytes)
      #expect(rule == nil, "\(target.rawValue)/\(name)")
    }
  }

  @Test("nor does any input cut short, or nothing at all", arguments: FuzzTarget.allCases)
  func cut(target: FuzzTarget) throws {
    #expect(target.run([]) == nil)
    for (_, bytes) in try Self.inputs(of: target).prefix(10) {
      for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 20)) {
        let rule = target.run(Array(bytes.prefix(length)))
        #expect(rule == nil)
      }
    }
  }
}
