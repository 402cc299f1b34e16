import CommandLine
import Glibc

/// A program of the system run to its end; a test's own small way to ask the real shells.
struct Subprocess {
  let status: Int32
  let output: String

  /// Where a program is, or nil when it is not installed.
  static func find(_ name: String) -> String? {
    ["/usr/bin/", "/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
  }

  /// Runs a program with both its streams going to one file, and waits for it.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let file = try TemporaryFile("")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, file.path, O_WRONLY | O_APPEND, 0)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let variables =
      ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TERM": "dumb", "LC_ALL": "C.UTF-8"]
      .merging(environment) { $1 }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var child: pid_t = 0
    let failed = posix_spawn(&child, path, &actions, nil, &argv, &envp)
    guard failed == 0 else { throw Failure("cannot run \(path): \(systemMessage(failed))") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    self.status = status
    output = String(decoding: try readFile(file.path), as: UTF8.self)
  }
}

/// A file that goes away with the value.
struct TemporaryFile: ~Copyable {
  let path: String

  init(_ text: String, suffix: String = "", mode: mode_t = 0o600) throws {
    try self.init(bytes: Array(text.utf8), suffix: suffix, mode: mode)
  }

  init(bytes: [UInt8], suffix: String = "", mode: mode_t = 0o600) throws {
    path = try Self.make(bytes, suffix, mode)
  }

  private static func make(_ bytes: [UInt8], _ suffix: String, _ mode: mode_t) throws -> String {
    var template = Array("/tmp/airlink-test-XXXXXX\(suffix)".utf8CString)
    let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
    guard descriptor >= 0 else { throw Failure("no temporary file: \(systemMessage(errno))") }
    defer { close(descriptor) }
    try TextSink.descriptor(descriptor).write(bytes)
    fchmod(descriptor, mode)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { unlink(path) }
}

func readFile(_ path: String) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw Failure("cannot read \(path): \(systemMessage(errno))") }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count <= 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// The folder of this project's fixtures for a test.
func fixture(_ name: String, _ source: String = #filePath) -> String {
  let root = source.split(separator: "/").dropLast(3).joined(separator: "/")
  return "/\(root)/Fixtures/CommandLine/\(name)"
}
