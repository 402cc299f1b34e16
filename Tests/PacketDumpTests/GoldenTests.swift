import CommandLine
import Foundation
import Testing

@testable import PacketDump

@Suite("packetdump: captures") struct GoldenTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(components: "Fixtures", "captures")

  private static let captures: [String] = {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return all.filter { $0.hasSuffix(".golden") }.map { String($0.dropLast(7)) }.sorted()
  }()

  @Test("there are captures of every reader and link layer")
  func complete() throws {
    #expect(Self.captures.count >= 21)
    let readme = try String(
      contentsOf: Self.folder.appending(component: "README.md"), encoding: .utf8)
    for capture in Self.captures { #expect(readme.contains("`\(capture)`"), "\(capture)") }
  }

  /// What stands in a golden file: runs of `$ words`, output, `= code`.
  private struct Run {
    let words: [String]
    let output: String
    let code: UInt8
  }

  private func runs(of capture: String) throws -> [Run] {
    let text = try String(
      contentsOf: Self.folder.appending(component: capture + ".golden"), encoding: .utf8)
    var runs: [Run] = []
    var (words, output): ([String], [Substring]) = ([], [])
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("$ airlink-packetdump ") {
        (words, output) = (line.split(separator: " ").dropFirst(2).map(String.init), [])
      } else if line.hasPrefix("= "), let code = UInt8(line.dropFirst(2)) {
        runs.append(
          Run(words: words, output: output.map { $0 + "\n" }.joined(), code: code))
      } else {
        output.append(line)
      }
    }
    return runs
  }

  @Test("each is shown as it was when somebody looked at it", arguments: captures)
  func golden(capture: String) throws {
    let bench = try Bench()
    let runs = try runs(of: capture)
    #expect(runs.count == 4)
    for run in runs {
      let path = Self.folder.appending(component: capture).path()
      let result = bench.run(words: run.words.dropLast() + [path])
      // Errors name the file as it was given.
      let errors = result.errors.replacingOccurrences(of: "'\(path)'", with: "'\(capture)'")
      #expect(result.output + shortened(errors, capture) == run.output, "\(run.words)")
      #expect(result.code.rawValue == run.code)
    }
  }

  @Test(
    "a filter chooses among a call's frames and packets",
    arguments: [
      ("kind == frame and dir == in", " < frame"), ("kind == voice", " voice "),
      ("not kind == frame and not kind == hello and not kind == voice", " sealed "),
    ])
  func filtered(filter: String, mark: String) throws {
    let bench = try Bench()
    let path = Self.folder.appending(component: "frames.pcap").path()
    let all = bench.run(words: [path]).lines
    let chosen = all.filter { $0.contains(mark) }
    #expect(bench.run(words: ["--filter", filter, path]).lines == chosen)
    #expect(chosen.count > 2 && chosen.count < all.count / 2)
    let counts = bench.run(words: ["--stats", "--json", "--filter", filter, path])
    let calls = try counts.objects().filter { $0["of"] as? String == "call" }
    #expect(calls.isEmpty == mark.contains("sealed"))
  }

  /// A long path is cut in the middle of error lines.
  private func shortened(_ errors: String, _ capture: String) -> String {
    guard let start = errors.range(of: "error: '"),
      let end = errors.range(of: "': ", range: start.upperBound..<errors.endIndex)
    else { return errors }
    return errors.replacingCharacters(in: start.upperBound..<end.lowerBound, with: capture)
  }
}
