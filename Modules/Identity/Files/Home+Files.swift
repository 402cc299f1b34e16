internal import Glibc

/// How files of the home are read, made and replaced.
extension Home {
  /// Whether anything at all stands under this name, a dangling symbolic link included.
  public func contains(_ name: Name) throws(FileError) -> Bool {
    var status = stat()
    if fstatat(directory, name.rawValue, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    guard errno == ENOENT else { throw .last("stat", path(of: name)) }
    return false
  }

  /// The bytes of an ordinary file of ours with mode 0600 or less, when there are at most `limit`.
  func read(_ name: Name, limit: Int) throws(FileError) -> [UInt8] {
    let file = try open(name, flags: O_RDONLY)
    try file.checkPrivate()
    return try file.readAll(limit: limit)
  }

  func open(_ name: Name, flags: Int32) throws(FileError) -> File {
    try File(name.rawValue, in: directory, path: path(of: name), flags: flags, mode: 0o600)
  }

  /// The name under which a file's next content is written.
  ///
  /// One for each file: whoever writes holds that file's lock, so whatever stands there was left
  /// by a process that died, and goes.
  func temporaryName(_ name: Name) -> String { name.rawValue + ".tmp" }

  /// Writes `bytes` beside `name`, mode 0600 and safe on the disk, under its temporary name.
  func writeTemporary(_ bytes: [UInt8], for name: Name) throws(FileError) {
    let temporary = temporaryName(name)
    removeTemporary(for: name)
    let file = try File(
      temporary, in: directory, path: path(of: temporary), flags: O_WRONLY | O_CREAT | O_EXCL,
      mode: 0o600)
    do throws(FileError) {
      // Whatever the umask took or left.
      guard fchmod(file.descriptor, 0o600) == 0 else { throw .last("fchmod", file.path) }
      try file.write(bytes)
      try file.sync()
    } catch {
      removeTemporary(for: name)
      throw error
    }
  }

  /// Reads back what `writeTemporary` wrote.
  func readTemporary(for name: Name, limit: Int) throws(FileError) -> [UInt8] {
    let temporary = temporaryName(name)
    let file = try File(
      temporary, in: directory, path: path(of: temporary), flags: O_RDONLY)
    try file.checkPrivate()
    return try file.readAll(limit: limit)
  }

  /// Gives the temporary file its name, unless something has that name.
  ///
  /// `link` and not `rename`: it never replaces. (`renameat2` with `RENAME_NOREPLACE` would be the
  /// other way; not every file system has it.) The temporary name is gone afterwards either way.
  func placeTemporary(as name: Name) throws(FileError) {
    defer { removeTemporary(for: name) }
    guard linkat(directory, temporaryName(name), directory, name.rawValue, 0) == 0 else {
      throw .last("link", path(of: name))
    }
  }

  /// Puts the temporary file in the place of `name`, for good.
  func replaceWithTemporary(_ name: Name) throws(FileError) {
    try renameTemporary(to: name)
    try sync()
  }

  /// Puts the temporary file in the place of `name`; on an error what stood there still does.
  func renameTemporary(to name: Name) throws(FileError) {
    guard renameat(directory, temporaryName(name), directory, name.rawValue) == 0 else {
      let error = FileError.last("rename", path(of: name))
      removeTemporary(for: name)
      throw error
    }
  }

  func removeTemporary(for name: Name) { unlinkat(directory, temporaryName(name), 0) }

  func remove(_ name: Name) throws(FileError) {
    guard unlinkat(directory, name.rawValue, 0) == 0 || errno == ENOENT else {
      throw .last("unlink", path(of: name))
    }
    try sync()
  }

  /// Waits until names given and taken are on the disk.
  func sync() throws(FileError) {
    while fsync(directory) != 0 {
      if errno == EINVAL { return }  // a file system that keeps no directories of its own
      guard errno == EINTR else { throw .last("fsync", path) }
    }
  }
}
