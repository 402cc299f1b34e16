internal import Glibc

/// The directory that holds a person's identity, contacts and what a node remembers.
///
/// Open for as long as this lives, so that no file of it is looked up through a path that somebody
/// has exchanged meanwhile.
public final class Home: Sendable {
  /// A file of the home, named as it stands there.
  public enum Name: String, Sendable, CaseIterable {
    case identity, contacts, contradictions, received
    case identityKey = "identity.key"
    case identityLock = "identity.lock"
    case contactsLock = "contacts.lock"
    case nodeLock = "node.lock"
  }

  public enum Missing: Sendable {
    /// A home that is not there is an error.
    case refuse
    /// A home that is not there is made, mode 0700, and the directories on the way to it too; an
    /// empty directory of ours becomes one.
    case create
  }

  static let mode: mode_t = 0o700

  public let path: String
  let directory: Int32

  /// Opens the home at `path` and checks that it is a directory of ours with mode 0700 or less.
  public init(path: String, ifMissing: Missing) throws(FileError) {
    if ifMissing == .create { try Self.makeDirectories(path) }
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open", path) }
    directory = descriptor
    self.path = path
    try check(takingOverEmpty: ifMissing == .create)
  }

  deinit { close(directory) }

  public func path(of name: Name) -> String { path(of: name.rawValue) }

  func path(of name: String) -> String {
    path.hasSuffix("/") ? path + name : path + "/" + name
  }

  private func check(takingOverEmpty: Bool) throws(FileError) {
    var status = stat()
    guard fstat(directory, &status) == 0 else { throw .last("fstat", path) }
    guard status.st_uid == geteuid() else {
      throw .wrongOwner(path: path, owner: status.st_uid)
    }
    let mode = UInt32(status.st_mode & 0o777)
    guard mode & ~0o700 != 0 else { return }
    guard takingOverEmpty, isEmpty, fchmod(directory, Self.mode) == 0 else {
      throw .tooOpen(path: path, mode: mode, allowed: 0o700)
    }
  }

  private var isEmpty: Bool {
    // A descriptor of its own: the stream's position is shared with its copies.
    let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return false }
    guard let stream = fdopendir(copy) else {
      close(copy)
      return false
    }
    defer { closedir(stream) }
    var entries = 0
    while readdir(stream) != nil { entries += 1 }
    return entries <= 2  // "." and ".."
  }

  /// Makes the directory and those on the way to it, each with mode 0700 and safe on the disk.
  private static func makeDirectories(_ path: String) throws(FileError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      let parent = made.isEmpty ? "." : made
      made += made.isEmpty || made.hasSuffix("/") ? part : "/" + part
      guard mkdir(made, mode) != 0 else {
        chmod(made, mode)  // whatever the umask took
        try syncDirectory(parent)
        continue
      }
      // Where one may not write (`/`, `/home`) directories that are there are no error.
      var status = stat()
      let code = errno
      guard stat(made, &status) == 0 else {
        throw .system(call: "mkdir", path: made, code: code)
      }
    }
  }

  private static func syncDirectory(_ path: String) throws(FileError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }  // writable and searchable, but not readable
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last("fsync", path) }
  }
}
