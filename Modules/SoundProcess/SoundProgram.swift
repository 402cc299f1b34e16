internal import Glibc

/// Where airlink-callaudio is and with what it is started.
public struct SoundProgram: Hashable, Sendable {
  public static let name = "airlink-callaudio"

  public let path: String
  /// A device's name, or `auto`; nil where files take its place.
  public var device: String?
  /// WAV files in place of a microphone and of a loudspeaker.
  public var input: String?
  public var output: String?
  /// Who takes the echo out, as the program names it.
  public var echo: String?

  public init(path: String) { self.path = path }

  /// The program beside the one that runs, else the one that `PATH` has; nil when there is none.
  ///
  /// Empty and relative parts of `PATH` count for nothing: what runs must not depend on where one
  /// happens to stand.
  public static func find(
    beside executable: String? = ownPath, searching path: String?
  ) -> String? {
    var folders: [Substring] = []
    if let executable, let slash = executable.lastIndex(of: "/") {
      folders.append(executable[..<slash])
    }
    folders += (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram)
  }

  /// The file that this process runs; nil where the system does not say.
  public static var ownPath: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink("/proc/self/exe", base, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(
        validating: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }

  /// The words of one start, `descriptor` being the socket that the program inherits.
  ///
  /// A second start in one call must not write over what was heard before: it has a file of its own.
  func words(descriptor: CInt, isRestart: Bool = false) -> [String] {
    var words = [path, "call", "--fd", "\(descriptor)"]
    for (option, value) in [
      ("--audio", device), ("--audio-in", input),
      ("--audio-out", isRestart ? secondOutput : output), ("--echo", echo),
    ] {
      if let value { words.append("\(option)=\(value)") }
    }
    return words
  }

  /// `heard.2.wav` for `heard.wav`.
  var secondOutput: String? {
    guard let output else { return nil }
    let name = output.lastIndex(of: "/").map { output.index(after: $0) } ?? output.startIndex
    guard let dot = output[name...].lastIndex(of: "."), dot > name else { return output + ".2" }
    return output[..<dot] + ".2" + output[dot...]
  }
}
