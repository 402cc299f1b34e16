import Foundation
import Testing
import Wire

@testable import Identity

/// What stands in the way of a file: each in a process of its own, whose limits and user it takes.
@Suite("disk faults") struct DiskFaultTests {
  @Test("a disk that is full at any byte leaves no identity and no litter")
  func fullAtCreation() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let home = try scratch.home()
      let ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
      for limit in 0..<IdentityFile.length {
        try limitFiles(to: limit)
        #expect(throws: IdentityFileError.self) {
          try IdentityFile.create(in: home, ada, with: passphrase("one"))
        }
        #expect(throws: IdentityFileError.self) {
          try IdentityFile.create(in: home, ada, with: KeyFile())
        }
        try #require(scratch.names == [])
      }
      try limitFiles(to: IdentityFile.length)
      try IdentityFile.create(in: home, ada, with: passphrase("one"))
      #expect(try IdentityFile.open(in: home, with: passphrase("one")).name == "Ada")
    }
  }

  @Test("a disk that is full at any byte leaves the old seal as it was")
  func fullAtResealing() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let home = try scratch.home()
      let ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
      try IdentityFile.create(in: home, ada, with: passphrase("old"))
      let before = try scratch.bytes("identity")
      for limit in 0..<IdentityFile.length {
        try limitFiles(to: limit)
        #expect(throws: IdentityFileError.self) {
          try IdentityFile.reseal(in: home, from: passphrase("old"), to: KeyFile())
        }
        try #require(scratch.bytes("identity") == before)
        try #require(scratch.names == ["identity"])
      }
    }
  }

  @Test("a full disk leaves the contacts as they were, and says which call failed")
  func fullAtContacts() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let store = try ContactStore(home: scratch.home(), identity: .sample(1))
      try store.update([.block(Number(parsing: "7M2K-Q9XD"))])
      let before = try scratch.bytes("contacts")
      try limitFiles(to: 20)
      let path = scratch.path + "/home/contacts.tmp"
      #expect(
        throws: ContactStore.Failure.file(.system(call: "write", path: path, code: EFBIG))
      ) { try store.update([.block(Number(parsing: "7M2K-Q9XE"))]) }
      #expect(try scratch.bytes("contacts") == before)
      #expect(try scratch.names == ["contacts"])
      #expect(try store.load().blockedNumbers.count == 1)
    }
  }

  @Test("a record that the full disk took half of does not put the next ones out of step")
  func fullAtJournal() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let journal = try ReceivedJournal(home: scratch.home(), identity: .sample(1))
      try journal.append(.sample(1))
      try limitFiles(to: 2 * 128 + 50)
      #expect(throws: FileError.self) { try journal.append(.sample(2)) }
      #expect(try scratch.bytes("received").count == 2 * 128)
      try limitFiles(to: 1 << 20)
      try journal.append(.sample(3))
      #expect(try journal.load() == [.sample(1), .sample(3)])
    }
  }

  @Test(
    "in a directory that may not be written to nothing is made and everything can be read",
    .enabled(if: geteuid() == 0, "needs root to become somebody whom permissions bind"))
  func readOnlyDirectory() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      #expect(chmod(scratch.path, 0o755) == 0)
      #expect(mkdir(scratch.path + "/home", 0o700) == 0)
      #expect(chown(scratch.path + "/home", 1_234, 1_234) == 0)
      #expect(seteuid(1_234) == 0)
      let home = try scratch.home()
      let ada = OpenedIdentity(identity: try .sample(1), name: "Ada")
      #expect(chmod(home.path, 0o500) == 0)
      let refusal = IdentityFileError.file(
        .system(call: "open", path: home.path(of: .identityLock), code: EACCES))
      #expect(throws: refusal) { try IdentityFile.create(in: home, ada, with: passphrase("a")) }
      #expect(refusal.description.hasSuffix("identity.lock: Permission denied"))
      #expect(try scratch.names == [])
      #expect(chmod(home.path, 0o700) == 0)
      try IdentityFile.create(in: home, ada, with: passphrase("a"))
      try ContactStore(home: home, identity: ada.identity).update([.pin(keys(1), name: "Bo")])
      let before = try scratch.bytes("identity")
      #expect(chmod(home.path, 0o500) == 0)
      #expect(try IdentityFile.open(in: home, with: passphrase("a")).name == "Ada")
      let store = ContactStore(home: home, identity: ada.identity)
      #expect(try store.load().contacts.map(\.name) == ["Bo"])
      #expect(throws: ContactStore.Failure.self) { try store.update([.pin(keys(2), name: "")]) }
      #expect(throws: IdentityFileError.self) {
        try IdentityFile.reseal(in: home, from: passphrase("a"), to: passphrase("b"))
      }
      #expect(try scratch.bytes("identity") == before)
      #expect(try scratch.names == ["contacts", "identity"])
      // Another user's file is told as that, not as a permission that is missing.
      #expect(chmod(home.path, 0o700) == 0)
      #expect(seteuid(0) == 0)
      #expect(chown(home.path(of: .identity), 0, 0) == 0)
      #expect(seteuid(1_234) == 0)
      #expect(
        openingError(in: home, with: passphrase("a"))
          == .file(.wrongOwner(path: home.path(of: .identity), owner: 0)))
      #expect(seteuid(0) == 0)
    }
  }
}

/// Lets no file of this process grow over `size` bytes: writing stops there with an error.
private func limitFiles(to size: Int) throws {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit()
  try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  limit.rlim_cur = rlim_t(size)
  try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
}

extension ReceivedJournal.Entry {
  static func sample(_ value: UInt64) -> ReceivedJournal.Entry {
    var id = [UInt8](repeating: 0, count: 8)
    id.append(bigEndian: value)
    return ReceivedJournal.Entry(
      sender: keys(value % 3), messageID: MessageID(id) ?? MessageID(),
      time: Timestamp(milliseconds: 1_700_000_000_000 + value))
  }
}
