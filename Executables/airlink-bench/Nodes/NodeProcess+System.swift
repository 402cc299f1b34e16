internal import CommandLine
internal import Glibc

/// What starting a program takes of the system.
extension NodeProcess {
  /// The node beside this program: the two are built and measured together.
  static func program() throws -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    let own = String(
      decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let program = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "airlink-node"
    guard access(String(program), X_OK) == 0 else {
      throw Failure(
        "there is no airlink-node beside this program", hints: "build it with: make release")
    }
    return String(program)
  }

  static func makeHome() throws -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((folder + "/airlink-bench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("no folder in \(folder): \(reason())") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The reading and the writing end; neither goes to other programs by itself.
  static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw Failure("no pipe: \(reason())") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts a program on these descriptors; what it says on standard error is not wanted.
  static func start(_ arguments: [String], _ input: Int32, _ output: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, arguments[0], &actions, nil, words, environ)
    guard code == 0 else {
      throw Failure("airlink-node does not start: \(String(cString: strerror(code)))")
    }
    return process
  }

  /// The files of a folder.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  static func contents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be read: \(reason())") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }

  static func reason() -> String { String(cString: strerror(errno)) }
}
