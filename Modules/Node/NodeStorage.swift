public import Identity
public import Wire

/// What a node keeps on disk beside its identity: contacts and the ids of messages shown.
///
/// With a temporary identity there is none of it, and all lives in memory.
@MainActor
public final class NodeStorage {
  private let contacts: ContactStore
  private let journal: ReceivedJournal?
  public let home: Home

  /// How long after its time a message shown stays on disk.
  ///
  /// No receiver takes a packet over six hours old; a clock that is some hours wrong at the start
  /// must not lose what is still needed.
  static let keptFor: Duration = .seconds(24 * 3_600)

  /// What could not be read or written, in a sentence; each kind of trouble is told once.
  public private(set) var troubles: [String] = []
  private var hasToldContacts = false
  private var hasToldJournal = false

  /// Opens what `home` holds.
  ///
  /// - Throws: `ContactStore.Failure` when the contacts cannot be read: without them nobody could
  ///   tell whether a number shows up with other keys.
  public static func open(
    _ home: Home, _ identity: Identity, wallClock: Timestamp = NodeClock.wallClock
  ) throws(ContactStore.Failure) -> (NodeStorage, ContactBook, [ReceivedRecord]) {
    let store = ContactStore(home: home, identity: identity)
    let book = try store.load()
    var records: [ReceivedRecord] = []
    var journal: ReceivedJournal?
    var trouble: String?
    do throws(FileError) {
      let opened = try ReceivedJournal(home: home, identity: identity)
      records = try opened.load().filter { $0.time.since(wallClock) > .zero - keptFor }
      if opened.wantsCompaction { try opened.compact(keeping: records) }
      journal = opened
    } catch {
      trouble = "the list of messages shown cannot be read, so one may be shown again: \(error)"
    }
    let storage = NodeStorage(home: home, contacts: store, journal: journal)
    if let trouble { storage.troubles.append(trouble) }
    return (storage, book, records)
  }

  private init(home: Home, contacts: ContactStore, journal: ReceivedJournal?) {
    self.home = home
    self.contacts = contacts
    self.journal = journal
  }

  /// The sentences to tell since this was last asked.
  func takeTroubles() -> [String] {
    defer { troubles = [] }
    return troubles
  }

  /// What the disk says now; nil when it cannot be read.
  func loadContacts() -> ContactBook? {
    do throws(ContactStore.Failure) {
      return try contacts.load()
    } catch {
      tell("the contacts cannot be read: \(error)", once: &hasToldContacts)
      return nil
    }
  }

  func keep(_ change: ContactChange) {
    do throws(ContactStore.Failure) {
      _ = try contacts.update([change])
      hasToldContacts = false
    } catch {
      tell("a change of the contacts lasts only for this run: \(error)", once: &hasToldContacts)
    }
  }

  /// Notes messages as shown.
  func remember(_ records: [ReceivedRecord]) {
    guard let journal else { return }
    do throws(FileError) {
      try journal.append(records)
      hasToldJournal = false
    } catch {
      tell(
        "a message shown cannot be noted, so a restart may show it again: \(error)",
        once: &hasToldJournal)
    }
  }

  private func tell(_ sentence: String, once hasTold: inout Bool) {
    if !hasTold { troubles.append(sentence) }
    hasTold = true
  }
}
