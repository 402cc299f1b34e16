internal import Glibc

/// Whether the system's microphone has had its echo taken out already, by the echo cancelling of
/// PulseAudio or PipeWire.
///
/// Asked through `pactl`, which both bring along, with a time limit; linking libpulse for one
/// question would bring a second sound library into the process. Where there is no `pactl`, or no
/// answer, nobody cancels.
enum SystemEcho {
  /// Names of libasound's that lead to a sound server; others are the card itself.
  static let servers: Set = ["default", "pulse", "pipewire", "sysdefault"]
  /// How long an answer may take, in milliseconds, and how long it may be, in bytes.
  static let patience: CInt = 1_500
  static let mostBytes = 512 * 1_024

  static func cancels(device: String) -> Bool {
    guard servers.contains(device), let name = ask("get-default-source"),
      let listing = ask("list", "sources")
    else { return false }
    return cancels(defaultSource: name, listing: listing)
  }

  /// Reads `pactl get-default-source` and `pactl list sources` (in English): whether the source is
  /// one of `module-echo-cancel`.
  static func cancels(defaultSource: String, listing: String) -> Bool {
    let wanted = trimmed(defaultSource[...])
    guard !wanted.isEmpty else { return false }
    var isWanted = false
    for line in listing.split(separator: "\n", omittingEmptySubsequences: true) {
      let words = trimmed(line)
      if !line.hasPrefix("\t"), line.hasPrefix("Source #") {
        isWanted = false
      } else if words.hasPrefix("Name: ") {
        isWanted = trimmed(words.dropFirst(6)) == wanted
        if isWanted, tellsOfCancelling(wanted) { return true }
      } else if isWanted, isAboutItsMaker(words), tellsOfCancelling(words) {
        return true
      }
    }
    return false
  }

  /// Not every line: a description is the user's own, and a microphone may be called anything.
  private static func isAboutItsMaker(_ line: Substring) -> Bool {
    ["Driver: ", "node.name", "media.name", "factory.name", "device.class"].contains {
      line.hasPrefix($0)
    }
  }

  private static func tellsOfCancelling(_ words: Substring) -> Bool {
    let lower = words.lowercased()
    return lower.contains("echo-cancel") || lower.contains("echo_cancel")
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text
    while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
    while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
    return rest
  }

  /// Runs `pactl` with these words; nil when it fails, says too much or takes too long.
  private static func ask(_ words: String...) -> String? {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    guard let child = spawn(["pactl"] + words, output: ends[1]) else {
      close(ends[1])
      return nil
    }
    close(ends[1])
    let answer = readAll(ends[0])
    var status: CInt = 0
    if answer == nil { kill(child, SIGKILL) }
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? answer : nil
  }

  private static func spawn(_ words: [String], output: CInt) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    // The answer is read in English.
    var variables: [UnsafeMutablePointer<CChar>?] = [strdup("LC_ALL=C")]
    var place = environ
    while let variable = place.pointee {
      if strncmp(variable, "LC_ALL=", 7) != 0 { variables.append(strdup(variable)) }
      place += 1
    }
    variables.append(nil)
    defer { for pointer in arguments + variables { free(pointer) } }
    var child: pid_t = 0
    return posix_spawnp(&child, "pactl", &actions, nil, &arguments, &variables) == 0 ? child : nil
  }

  private static func readAll(_ descriptor: CInt) -> String? {
    var bytes: [UInt8] = []
    var start = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= mostBytes {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      let passed = (now.tv_sec - start.tv_sec) * 1_000 + (now.tv_nsec - start.tv_nsec) / 1_000_000
      guard passed < Int(patience) else { return nil }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, patience - CInt(passed)) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      guard count > 0 else { return nil }
      bytes += buffer.prefix(count)
    }
    return nil
  }
}
