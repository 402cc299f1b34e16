internal import Glibc

/// Why a file or directory of the home cannot be used.
///
/// Every case is met before anything is written, or leaves what was there as it was.
public enum FileError: Error, Hashable, Sendable {
  case missing(path: String)
  case exists(path: String)
  case symbolicLink(path: String)
  case notRegularFile(path: String)
  case notDirectory(path: String)
  /// It belongs to the user with the numeric id `owner`.
  case wrongOwner(path: String, owner: UInt32)
  /// Its permission bits `mode` go further than `allowed`.
  case tooOpen(path: String, mode: UInt32, allowed: UInt32)
  case tooLarge(path: String, limit: Int)
  /// Another process holds the lock; its id, where it is known.
  case busy(path: String, process: Int32?)
  /// A system call failed with this `errno`.
  case system(call: String, path: String, code: Int32)

  /// The error of the system call that failed just now.
  static func last(_ call: String, _ path: String) -> FileError {
    let code = errno
    return switch code {
    case ENOENT: .missing(path: path)
    case EEXIST: .exists(path: path)
    case ELOOP: .symbolicLink(path: path)
    case ENOTDIR: .notDirectory(path: path)
    default: .system(call: call, path: path, code: code)
    }
  }
}

extension FileError: CustomStringConvertible {
  /// One sentence without its full stop.
  public var description: String {
    switch self {
    case .missing(let path): "\(path) does not exist"
    case .exists(let path): "\(path) exists already"
    case .symbolicLink(let path): "\(path) is a symbolic link, which is not followed"
    case .notRegularFile(let path): "\(path) is not an ordinary file"
    case .notDirectory(let path): "\(path) is not a directory"
    case .wrongOwner(let path, let owner):
      "\(path) belongs to another user (user id \(owner))"
    case .tooOpen(let path, let mode, let allowed):
      "\(path) has permissions \(octal(mode)), wider than \(octal(allowed))"
    case .tooLarge(let path, let limit): "\(path) is larger than \(limit) bytes"
    case .busy(let path, let process?): "\(path) is held by process \(process)"
    case .busy(let path, nil): "\(path) is held by another process"
    case .system(let call, let path, let code):
      "cannot \(Self.deed(call)) \(path): \(String(cString: strerror(code)))"
    }
  }

  /// What a system call is for, in front of a path.
  private static func deed(_ call: String) -> String {
    switch call {
    case "fstat", "stat": "look at"
    case "mkdir": "make the directory"
    case "fchmod": "set the permissions of"
    case "flock": "lock"
    case "fsync": "write to the disk under"
    case "ftruncate": "shorten"
    case "link", "rename": "put in place"
    case "unlink": "remove"
    default: call
    }
  }

  /// What to do about it, where there is something to say.
  public var hint: String? {
    switch self {
    case .tooOpen(let path, _, let allowed): "chmod \(octal(allowed)) \(path)"
    case .wrongOwner(let path, _): "chown it to yourself if it is yours: chown $USER \(path)"
    case .busy: "wait for the other program to end, or end it"
    case .system(_, _, ENOSPC), .system(_, _, EDQUOT): "make room on the disk and try again"
    case .system("link", _, EPERM):
      "the file system there has no hard links: keep the home elsewhere, with --home"
    default: nil
    }
  }

  private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
