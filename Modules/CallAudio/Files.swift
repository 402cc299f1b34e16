internal import CommandLine
internal import Glibc
internal import Sound

/// Does something with a file; what goes wrong is said with the file's name before it.
func naming<Result>(
  _ path: String, _ body: () throws(SoundError) -> Result
) throws(Failure) -> Result {
  do throws(SoundError) { return try body() } catch {
    throw Failure("\(quoted(path)): \(error.reason)")
  }
}

/// Refuses two paths that lead to one file, where one of them is written to.
///
/// Devices and pipes are not looked at: two names of a terminal do no harm.
func refuseSameFile(_ paths: [String?]) throws(Failure) {
  var seen: [(path: String, status: stat)] = []
  for path in paths.compactMap({ $0 }) {
    if seen.contains(where: { $0.path == path }), !isDevice(path) {
      throw Failure.usage("\(quoted(path)) is given twice; what is written needs a file of its own")
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      seen.append((path, stat()))
      continue
    }
    let same = seen.first {
      $0.status.st_ino == status.st_ino && $0.status.st_dev == status.st_dev
        && $0.status.st_ino != 0
    }
    if let same {
      throw Failure.usage("\(quoted(same.path)) and \(quoted(path)) are one file")
    }
    seen.append((path, status))
  }
}

private func isDevice(_ path: String) -> Bool {
  var status = stat()
  guard stat(path, &status) == 0 else { return false }
  return status.st_mode & S_IFMT != S_IFREG
}
