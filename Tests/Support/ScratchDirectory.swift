internal import Foundation

/// A directory of its own for one test, gone with everything in it when the test is.
public final class ScratchDirectory: Sendable {
  public let path: String

  /// - Throws: `POSIXError` if there is no room for one under /tmp.
  public init() throws {
    var template = Array("/tmp/airlink-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the file `name` in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// What the file `name` holds.
  public func read(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: file(name))))
  }

  /// Makes the file `name` of `bytes`.
  ///
  /// - Returns: its path.
  @discardableResult
  public func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }
}
