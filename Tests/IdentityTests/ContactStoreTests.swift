import Foundation
import Testing
import Wire

@testable import Identity

@Suite("contact store") struct ContactStoreTests {
  private let scratch: Scratch
  private let store: ContactStore
  private let path: String

  init() throws {
    scratch = try Scratch()
    let home = try scratch.home()
    store = ContactStore(home: home, identity: try .sample(1), patience: .milliseconds(50))
    path = home.path(of: .contacts)
  }

  @Test("without a file there are no contacts, and none is made by looking")
  func none() throws {
    #expect(try store.load() == ContactBook())
    #expect(try store.update([]) == ContactBook())
    #expect(try scratch.names == [])
  }

  @Test("what one program changes another reads; the file says nothing in clear")
  func update() throws {
    let number = keys(2).fingerprint.number
    let book = try store.update([.pin(keys(1), name: "Ada"), .verify(keys(1)), .block(number)])
    let other = ContactStore(home: try scratch.home(), identity: try .sample(1))
    #expect(try other.load() == book)
    #expect(book.contacts.map(\.name) == ["Ada"])
    #expect(book.contacts[0].isVerified)
    #expect(book.isBlocked(number))
    let bytes = try scratch.bytes("contacts")
    #expect(!bytes.contains(sequence: Array("Ada".utf8)))
    #expect(!bytes.contains(sequence: keys(1).signing.bytes))
    #expect(try scratch.names == ["contacts"])
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("changes that change nothing leave the file untouched")
  func unchanged() throws {
    try store.update([.pin(keys(1), name: "Ada")])
    let before = try scratch.bytes("contacts")
    try store.update([.pin(keys(1), name: "Eve"), .unblock(keys(3).fingerprint.number)])
    #expect(try scratch.bytes("contacts") == before)
  }

  @Test("of several changes all are made or none")
  func allOrNone() throws {
    try store.update([.pin(keys(1), name: "Ada")])
    let long = String(repeating: "x", count: 65)
    #expect(throws: ContactStore.Failure.contact(.nameTooLong(limit: 64))) {
      try store.update([.pin(keys(2), name: "Bo"), .rename(keys(1), long)])
    }
    #expect(try store.load().contacts.map(\.name) == ["Ada"])
  }

  @Test("cut short at any length, or with any byte changed, it is refused and left as it is")
  func damage() throws {
    try store.update([.pin(keys(1), name: "Ada")])
    let whole = try scratch.bytes("contacts")
    var damaged = whole.indices.map { Array(whole[..<$0]) }
    damaged += whole.indices.map { index in
      var bytes = whole
      bytes[index] ^= 1
      return bytes
    }
    damaged.append(whole + [0])
    for bytes in damaged {
      try scratch.write(bytes, "contacts")
      let refusal = ContactStore.Failure.unreadable(path: path)
      #expect(throws: refusal) { try store.load() }
      #expect(throws: refusal) { try store.update([.pin(keys(2), name: "Bo")]) }
      try #require(scratch.bytes("contacts") == bytes)
    }
    #expect(ContactStore.Failure.unreadable(path: "/c").hint?.contains("mv /c /c.damaged") == true)
  }

  @Test("another identity's contacts are refused and left as they are")
  func otherIdentity() throws {
    try store.update([.pin(keys(1), name: "Ada")])
    let before = try scratch.bytes("contacts")
    let other = ContactStore(home: try scratch.home(), identity: try .sample(2))
    #expect(throws: ContactStore.Failure.unreadable(path: path)) {
      try other.update([.pin(keys(2), name: "Bo")])
    }
    #expect(try scratch.bytes("contacts") == before)
  }

  @Test("a file that is too large, a link, or open to others is refused")
  func badFile() throws {
    let limit = store.maximumFileSize
    try scratch.write([UInt8](repeating: 0, count: limit + 1), "contacts")
    #expect(throws: ContactStore.Failure.file(.tooLarge(path: path, limit: limit))) {
      try store.load()
    }
    try scratch.write([], "contacts", mode: 0o644)
    #expect(
      throws: ContactStore.Failure.file(.tooOpen(path: path, mode: 0o644, allowed: 0o600))
    ) { try store.load() }
    #expect(unlink(path) == 0)
    #expect(symlink("/nowhere", path) == 0)
    #expect(throws: ContactStore.Failure.file(.symbolicLink(path: path))) {
      try store.update([.pin(keys(1), name: "Ada")])
    }
  }

  @Test("who finds the lock held waits for a while and then says who holds it")
  func lockHeld() throws {
    let lock = try HomeLock(scratch.home(), .contactsLock, patience: .zero)
    let busy = FileError.busy(path: path + ".lock", process: getpid())
    #expect(throws: ContactStore.Failure.file(busy)) { try store.update([.verify(keys(1))]) }
    #expect(try store.load() == ContactBook())  // reading waits for nobody
    lock.release()
    try store.update([.verify(keys(1))])
  }

  @Test("of changes made at once none is lost")
  func concurrent() throws {
    DispatchQueue.concurrentPerform(iterations: 40) { index in
      do {
        let store = try ContactStore(home: scratch.home(), identity: .sample(1))
        try store.update([.pin(keys(UInt64(index)), name: "\(index)")])
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(try Set(store.load().contacts.map(\.name)) == Set((0..<40).map(String.init)))
    #expect(try scratch.names == ["contacts"])
  }

  @Test("what a change that was cut off left behind goes with the next one")
  func litter() throws {
    try scratch.write(Array("half".utf8), "contacts.tmp")
    try store.update([.pin(keys(1), name: "Ada")])
    #expect(try scratch.names == ["contacts"])
  }
}

extension [UInt8] {
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: sequence) }
  }
}
