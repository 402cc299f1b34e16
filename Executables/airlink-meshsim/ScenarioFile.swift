internal import CommandLine
internal import Glibc
internal import MeshSim

/// A scenario as it stands in a file, with what the command line changes in it.
struct ScenarioFile {
  static let set = Option(
    "set", .text("FIELD=VALUE"), .repeated,
    help: "Put this in the scenario's place: devices=500, policy.answersRepeats=false.")

  private let json: JSONValue

  init(path: String) throws {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("\(quoted(path)): \(systemMessage(errno))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= JSONReader.maximumBytes {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure("\(quoted(path)): \(systemMessage(errno))") }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    do throws(JSONError) {
      json = try JSONReader.parse(bytes)
    } catch {
      throw Failure("\(quoted(path)): \(error)")
    }
  }

  private init(json: JSONValue) { self.json = json }

  /// The scenario with these changes, each `path.to.field=value`; the value is JSON, or a word.
  func setting(_ changes: [String]) throws -> ScenarioFile {
    var json = json
    for change in changes {
      let parts = change.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw UsageError("--set: wants FIELD=VALUE") }
      let text = String(parts[1])
      let value = (try? JSONReader.parse(text)) ?? .string(text)
      json = Self.setting(value, at: parts[0].split(separator: ".").map(String.init), in: json)
    }
    return ScenarioFile(json: json)
  }

  private static func setting(_ value: JSONValue, at path: [String], in json: JSONValue)
    -> JSONValue
  {
    guard let first = path.first else { return value }
    let rest = Array(path.dropFirst())
    if let index = Int(first), let list = json.array, list.indices.contains(index) {
      var changed = list
      changed[index] = setting(value, at: rest, in: list[index])
      return .array(changed)
    }
    var object = json.object ?? JSONObject()
    object[first] = setting(value, at: rest, in: object[first] ?? .object(JSONObject()))
    return .object(object)
  }

  func scenario() throws -> Scenario {
    do throws(ScenarioError) {
      return try Scenario(json: json)
    } catch {
      throw Failure(error.description)
    }
  }
}
