internal import CSodium
internal import CommandLine

/// The libraries that the node runs on, as `--version` names them.
enum LibraryVersions {
  static var all: [Library] { [Library("libsodium", String(cString: sodium_version_string()))] }
}
