internal import CLinux
internal import EventLoop
internal import Glibc

/// How a process ended.
enum ChildEnd: Hashable, Sendable {
  case exited(CInt)
  case killed(CInt)
  /// Somebody else took the news, as where SIGCHLD is ignored.
  case unknown

  init(status: CInt) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
  }
}

/// A process of ours, from its start until it is reaped: none stays behind as a zombie.
///
/// It gets one descriptor of ours, as its number 3, and nothing else: standard input and output are
/// `/dev/null`, and what it says on standard error is kept, as much of it as an error line has. It is
/// in a process group of its own, so that what the terminal sends to ours does not reach it.
@MainActor
final class ChildProcess {
  static let inherited: CInt = 3
  /// Bytes of standard error that are kept; what follows is read and thrown away.
  static let keptErrorBytes = 1_024
  static let reapInterval = Duration.milliseconds(20)
  /// Pauses between looks at a process that does not even end when it is killed, as one that waits
  /// for a disk.
  static let patientInterval = Duration.seconds(1)

  let pid: pid_t
  private(set) var hasEnded = false
  private let onEnd: (ChildEnd) -> Void
  private var errors: CInt
  private var watch: EventLoop.Watch?
  private var said: [UInt8] = []
  private var timer: EventLoop.Timer?
  private var deadline: EventLoop.Timer?
  private var isKilled = false

  /// Starts the program that `words` begin with, which is a path; `descriptor` stays ours to close.
  ///
  /// `onEnd` is called once, when it is reaped. Nil when it cannot be started; `errno` says why.
  init?(
    _ words: [String], environment: [String: String], inheriting descriptor: CInt,
    onEnd: @escaping (ChildEnd) -> Void
  ) {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return nil }
    let pid = Self.spawn(words, environment, inheriting: descriptor, errors: ends[1])
    close(ends[1])
    guard let pid else {
      let why = errno
      close(ends[0])
      errno = why
      return nil
    }
    self.pid = pid
    self.onEnd = onEnd
    errors = ends[0]
    watch = EventLoop.main.watch(errors, for: .read) { [weak self] _ in self?.readErrors() }
  }

  /// The first line that it said on standard error.
  var complaint: String {
    String(decoding: said.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Looks for its end from now on, and kills it when that has not come after `grace`.
  func reap(within grace: Duration) {
    guard !hasEnded else { return }
    if deadline == nil {
      deadline = EventLoop.main.after(grace) { self.kill() }
    }
    lookForEnd()
  }

  func kill() {
    guard !hasEnded, !isKilled else { return }
    isKilled = true
    Glibc.kill(pid, SIGKILL)
    lookForEnd()
  }

  /// Waits for its end for as long as `grace`, kills it then, and waits on, for a second: for when
  /// our own process ends.
  func endNow(within grace: Duration) {
    let pause: useconds_t = 5_000
    for patience in [grace, .seconds(1)] {
      var left = patience
      while !hasEnded, left > .zero {
        if look() { return }
        usleep(pause)
        left -= .microseconds(Int64(pause))
      }
      if !hasEnded { kill() }
    }
  }

  private func lookForEnd() {
    if let timer { EventLoop.main.cancel(timer) }
    timer = nil
    guard !hasEnded, !look() else { return }
    let pause = isKilled ? Self.patientInterval : Self.reapInterval
    timer = EventLoop.main.after(isKilled ? min(pause, Self.reapInterval * 5) : pause) {
      self.lookForEnd()
    }
  }

  /// Whether it has ended by now.
  private func look() -> Bool {
    var status: CInt = 0
    let found = waitpid(pid, &status, WNOHANG)
    if found == 0 || (found < 0 && errno == EINTR) { return false }
    finish(found == pid ? ChildEnd(status: status) : .unknown)
    return true
  }

  private func finish(_ end: ChildEnd) {
    hasEnded = true
    readErrors()
    for timer in [timer, deadline] {
      if let timer { EventLoop.main.cancel(timer) }
    }
    (timer, deadline) = (nil, nil)
    stopReading()
    onEnd(end)
  }

  // MARK: Standard error

  private func readErrors() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while errors >= 0 {
      let count = read(errors, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return stopReading() }
      said += buffer.prefix(min(count, Self.keptErrorBytes - said.count))
    }
  }

  private func stopReading() {
    guard errors >= 0 else { return }
    if let watch { EventLoop.main.unwatch(watch) }
    watch = nil
    close(errors)
    errors = -1
  }
}

extension ChildProcess {
  private static func spawn(
    _ words: [String], _ environment: [String: String], inheriting descriptor: CInt,
    errors: CInt
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Out of the way first: ours may have the very numbers that are wanted. What is moved is open in
    // the program; everything else is closed, also what somebody forgot to mark for that.
    let spare = max(descriptor, errors, inherited) + 1
    posix_spawn_file_actions_adddup2(&actions, descriptor, spare)
    posix_spawn_file_actions_adddup2(&actions, errors, spare + 1)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, spare + 1, 2)
    posix_spawn_file_actions_adddup2(&actions, spare, inherited)
    posix_spawn_file_actions_addclosefrom_np(&actions, inherited + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let variables = environment.map { "\($0.key)=\($0.value)" }
    return withCStrings(words) { arguments in
      withCStrings(variables) { environment in
        guard let path = arguments.first ?? nil else { return nil }
        var pid = pid_t()
        var (arguments, environment) = (arguments, environment)
        let error = posix_spawn(&pid, path, &actions, &attributes, &arguments, &environment)
        errno = error
        return error == 0 ? pid : nil
      }
    }
  }

  /// The strings as C takes a list of them, with a null pointer behind the last.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
