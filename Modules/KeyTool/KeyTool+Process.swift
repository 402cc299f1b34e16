internal import CQRencode
internal import CSodium
public import CommandLine
internal import Glibc
internal import Unlock
internal import Wire

extension KeyTool {
  /// What `--version` names beside the program.
  static let libraries = [
    Library("libsodium", String(cString: sodium_version_string())),
    Library("libqrencode", String(cString: QRcode_APIVersionString())),
  ]

  /// Runs the tool as this process.
  public static func main() -> ExitCode {
    run(
      .process(),
      Surroundings(
        questions: .terminal,
        input: { (limit: Int) throws(Failure) in
          try InputFile.read(STDIN_FILENO, named: "standard input", limit: limit)
        },
        now: {
          var time = timespec()
          clock_gettime(CLOCK_REALTIME, &time)
          let milliseconds = UInt64(max(0, time.tv_sec)) &* 1_000 + UInt64(time.tv_nsec / 1_000_000)
          return Timestamp(milliseconds: milliseconds)
        }))
  }
}
