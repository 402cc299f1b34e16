import Foundation
import Testing

@testable import Identity

@Suite("home") struct HomeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func mode(_ path: String) throws -> Int {
    try #require(
      FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test("a home is made with mode 0700, and the directories on the way to it too")
  func made() throws {
    let path = scratch.path + "/a/b/home"
    let home = try Home(path: path, ifMissing: .create)
    #expect(home.path(of: .identityKey) == path + "/identity.key")
    for made in ["/a", "/a/b", "/a/b/home"] { #expect(try mode(scratch.path + made) == 0o700) }
    _ = try Home(path: path + "/", ifMissing: .create)
    _ = try Home(path: path, ifMissing: .refuse)
  }

  @Test("a home that is not there is an error where none is to be made")
  func missing() {
    let path = scratch.path + "/nowhere"
    #expect(throws: FileError.missing(path: path)) { try Home(path: path, ifMissing: .refuse) }
    #expect(throws: FileError.missing(path: "")) { try Home(path: "", ifMissing: .create) }
  }

  @Test("a home that others may enter is refused, with the command that mends it")
  func tooOpen() throws {
    let path = scratch.path + "/open"
    #expect(mkdir(path, 0o700) == 0)
    for mode in [0o701, 0o710, 0o750, 0o755, 0o777] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      let error = FileError.tooOpen(path: path, mode: mode, allowed: 0o700)
      #expect(throws: error) { try Home(path: path, ifMissing: .refuse) }
      #expect(error.hint == "chmod 0700 \(path)")
    }
  }

  @Test("an empty directory of ours becomes a home; one with something in it does not")
  func takenOver() throws {
    let path = scratch.path + "/empty"
    #expect(mkdir(path, 0o755) == 0)
    _ = try Home(path: path, ifMissing: .create)
    #expect(try mode(path) == 0o700)
    #expect(chmod(path, 0o755) == 0)
    try Data().write(to: URL(filePath: path + "/notes"))
    #expect(throws: FileError.tooOpen(path: path, mode: 0o755, allowed: 0o700)) {
      try Home(path: path, ifMissing: .create)
    }
    #expect(try mode(path) == 0o755)
  }

  @Test("a file in the home's place, or on the way to it, is refused")
  func fileInPlace() throws {
    let path = scratch.path + "/file"
    try Data().write(to: URL(filePath: path))
    #expect(throws: FileError.notDirectory(path: path)) {
      try Home(path: path, ifMissing: .create)
    }
    #expect(throws: FileError.self) { try Home(path: path + "/home", ifMissing: .create) }
  }

  @Test("another user's home is refused", .enabled(if: geteuid() == 0, "needs root for chown"))
  func wrongOwner() throws {
    let path = scratch.path + "/theirs"
    #expect(mkdir(path, 0o700) == 0)
    #expect(chown(path, 12_345, 12_345) == 0)
    #expect(throws: FileError.wrongOwner(path: path, owner: 12_345)) {
      try Home(path: path, ifMissing: .refuse)
    }
  }

  @Test("one node at a time holds the home; its successor gets it once it is let go")
  func nodeLock() throws {
    let home = try scratch.home()
    let lock = try HomeLock.node(home)
    let busy = FileError.busy(path: home.path(of: .nodeLock), process: getpid())
    #expect(throws: busy) { _ = try HomeLock.node(scratch.home()) }
    #expect(throws: busy) { _ = try HomeLock.node(home) }
    lock.release()
    let again = try HomeLock.node(home)
    again.release()
  }

  @Test("a lock file that is a link or open to others is refused")
  func badLockFile() throws {
    let home = try scratch.home()
    #expect(symlink("/etc/passwd", home.path(of: .nodeLock)) == 0)
    #expect(throws: FileError.symbolicLink(path: home.path(of: .nodeLock))) {
      _ = try HomeLock.node(home)
    }
    try scratch.write([], "contacts.lock", mode: 0o666)
    #expect(
      throws: FileError.tooOpen(
        path: home.path(of: .contactsLock), mode: 0o666, allowed: 0o600)
    ) { _ = try HomeLock(home, .contactsLock, patience: .zero) }
  }

  @Test("no two locks of a home get in each other's way")
  func separateLocks() throws {
    let home = try scratch.home()
    let node = try HomeLock.node(home)
    let contacts = try HomeLock(home, .contactsLock, patience: .zero)
    let identity = try HomeLock(home, .identityLock, patience: .zero)
    node.release()
    contacts.release()
    identity.release()
  }
}
