import Foundation
import Testing
import Wire

/// Hexadecimal text in a vector file.
struct Hex: Decodable, Sendable {
  let bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = [UInt8](hex: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
    }
    self.bytes = bytes
  }
}

/// A file of vectors: out of the selection in the project, or one of the whole published files
/// where `AIRLINK_VECTORS` says.
struct VectorFile: Sendable {
  private let url: URL

  static func selected(_ folder: String, _ name: String) -> VectorFile {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return VectorFile(url: root.appending(components: "Fixtures", "vectors", folder, name))
  }

  static func published(_ name: String) throws -> VectorFile {
    VectorFile(url: try #require(directory).appending(component: name))
  }

  static let directory = ProcessInfo.processInfo.environment["AIRLINK_VECTORS"]
    .flatMap { $0.isEmpty ? nil : URL(filePath: $0) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(contentsOf: url))
  }
}

extension Trait where Self == ConditionTrait {
  static var publishedVectors: Self {
    .enabled(
      if: VectorFile.directory != nil,
      "AIRLINK_VECTORS names no directory with the whole published vector files")
  }
}
