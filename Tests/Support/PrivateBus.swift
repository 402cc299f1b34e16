internal import Glibc

/// A dbus-daemon of a test's own, which goes away with it.
@MainActor
public final class PrivateBus {
  public nonisolated static let isInstalled = access("/usr/bin/dbus-daemon", X_OK) == 0

  private static let program = "/usr/bin/dbus-daemon"
  private let directory: ScratchDirectory
  private var process: pid_t = 0

  /// Starts one that lets everybody do everything.
  ///
  /// - Parameter maximumRules: match rules that one connection may have.
  /// - Throws: `POSIXError` if there is no room for its files.
  public init(maximumRules: Int = 64) throws {
    directory = try ScratchDirectory()
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>\(addressText)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
        <limit name="max_match_rules_per_connection">\(maximumRules)</limit>
      </busconfig>
      """
    try directory.write(Array(configuration.utf8), "bus.conf")
    start()
  }

  isolated deinit { kill() }

  /// Where it is, in D-Bus's notation.
  public var addressText: String { "unix:path=\(directory.file("bus"))" }

  /// Starts it, or starts it again, at the same address.
  public func start() {
    var arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup(Self.program), strdup("--config-file=\(directory.file("bus.conf"))"),
      strdup("--nofork"), strdup("--nopidfile"), nil,
    ]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // It grumbles about limits that only root may set.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    guard posix_spawn(&process, Self.program, &actions, nil, &arguments, environ) == 0 else {
      process = 0
      return
    }
    for _ in 0..<2_000 where access(directory.file("bus"), F_OK) != 0 { usleep(5_000) }
  }

  /// Ends the daemon without a word to its clients.
  public func kill() {
    guard process > 0 else { return }
    Glibc.kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
    unlink(directory.file("bus"))
  }

  /// Makes it stand still.
  public func pause() { Glibc.kill(process, SIGSTOP) }

  public func resume() { Glibc.kill(process, SIGCONT) }
}
