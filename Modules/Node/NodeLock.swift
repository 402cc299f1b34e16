internal import CommandLine
public import Identity

/// The home's lock, held while a node runs: two nodes of one identity would answer for each other.
public final class NodeLock: Sendable {
  private let lock: HomeLock

  /// Throws a `Failure` that names the process which holds the lock.
  public init(_ home: Home) throws {
    do throws(FileError) {
      lock = try HomeLock.node(home)
    } catch .busy(let path, let process) {
      let who = process.map { "process \($0)" } ?? "another process"
      throw Failure(
        "a node runs on this identity already (\(who) holds \(path))",
        hints: "use that one, or give another place with --home DIR")
    } catch {
      throw Failure(error)
    }
  }
}
