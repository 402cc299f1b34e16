internal import CSodium
internal import Glibc
internal import Wire

/// The ids of messages from pinned senders that were shown, on disk, so that a restart shows none
/// of them again (PROTOCOL, section 3).
///
/// A log that is only added to, one sealed record a message, until it is written anew with what is
/// still worth keeping. It belongs to one running node, which holds the home's node lock. What is
/// damaged in it is passed over: at worst a message is shown twice.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | `airlink-received` |
/// | 16 | 1 | version, 1 |
/// | 17 | 111 | zeros |
/// | 128 | k × 128 | records |
///
/// A record is a nonce (24) and, sealed with the header as associated data, the sender's signing and
/// agreement keys (64), the message's id (16) and time (8), with the tag (16).
public final class ReceivedJournal {
  public typealias Entry = ReceivedRecord

  /// The most records in the file, 16 MiB of them: 32 senders with all they are allowed (4,096).
  public static let maximumRecords = 131_072

  static let recordLength = entryLength + SecretBox.overhead
  private static let entryLength = PublicKeys.byteCount + 16 + 8
  static let header: [UInt8] =
    Array("airlink-received".utf8) + [1] + [UInt8](repeating: 0, count: recordLength - 17)

  private let home: Home
  private let key: SecretBytes
  private let limit: Int
  private var file: File
  /// Records in the file, damaged ones included.
  public private(set) var recordCount: Int
  /// Records that `load` could not open.
  public private(set) var damagedCount = 0
  private var countAtCompaction: Int

  /// Opens the journal of `home`, or begins one.
  ///
  /// The last record is cut off when it was not written whole. A file that is no journal of this
  /// version gives way to a new one.
  public convenience init(home: Home, identity: Identity) throws(FileError) {
    try self.init(home: home, identity: identity, limit: Self.maximumRecords)
  }

  package init(home: Home, identity: Identity, limit: Int) throws(FileError) {
    self.home = home
    self.limit = limit
    key = identity.storageKey("received")
    if try !home.contains(.received) { try Self.writeNew(Self.header, in: home) }
    var file = try Self.openForAppending(in: home)
    var size = try Int(file.status().st_size)
    var header = [UInt8](repeating: 0, count: Self.header.count)
    if try file.read(into: &header, at: 0) < header.count || header != Self.header {
      try Self.writeNew(Self.header, in: home)
      file = try Self.openForAppending(in: home)
      size = Self.header.count
    }
    let torn = size % Self.recordLength
    if torn != 0 { try file.truncate(to: size - torn) }
    self.file = file
    recordCount = size / Self.recordLength - 1
    countAtCompaction = recordCount
  }

  /// Every entry that can be read, oldest first; of a file over the limit only the newest.
  public func load() throws(FileError) -> [Entry] {
    let batch = 512
    var entries: [Entry] = []
    entries.reserveCapacity(min(recordCount, limit))
    damagedCount = 0
    var index = max(0, recordCount - limit)
    var bytes = [UInt8](repeating: 0, count: batch * Self.recordLength)
    while index < recordCount {
      let count = try file.read(into: &bytes, at: (index + 1) * Self.recordLength)
      let whole = min(count / Self.recordLength, recordCount - index)
      guard whole > 0 else { break }
      bytes.withUnsafeBytes { bytes in
        for record in 0..<whole {
          let start = record * Self.recordLength
          let entry = open(
            UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.recordLength]))
          if let entry { entries.append(entry) } else { damagedCount += 1 }
        }
      }
      index += whole
    }
    return entries
  }

  /// Adds entries with one write, which is not waited for until it is on the disk.
  ///
  /// A file at its limit is written anew first, with the newer half of what it holds.
  public func append(_ entries: Entry...) throws(FileError) { try append(entries) }

  /// The same for entries that came together.
  public func append(_ entries: [Entry]) throws(FileError) {
    if recordCount + entries.count > limit { try compact(keeping: load().suffix(limit / 2)) }
    do throws(FileError) {
      try file.write(entries.flatMap(seal))
    } catch {
      // Half a record would put all that follow out of step.
      try? file.truncate(to: (recordCount + 1) * Self.recordLength)
      throw error
    }
    recordCount += entries.count
  }

  /// Whether the file has grown far enough past what the last `compact` kept that another pays.
  public var wantsCompaction: Bool {
    recordCount >= 2 * countAtCompaction + 4_096 || damagedCount > 0
  }

  /// Puts a file with these entries alone in the journal's place; at most the newest half of the
  /// limit.
  public func compact(keeping entries: some BidirectionalCollection<Entry>) throws(FileError) {
    let kept = entries.suffix(limit / 2)
    var bytes = Self.header
    bytes.reserveCapacity((kept.count + 1) * Self.recordLength)
    for entry in kept { bytes.append(contentsOf: seal(entry)) }
    try Self.writeNew(bytes, in: home)
    file = try Self.openForAppending(in: home)
    recordCount = kept.count
    countAtCompaction = kept.count
    damagedCount = 0
  }

  private static func writeNew(_ bytes: [UInt8], in home: Home) throws(FileError) {
    try home.writeTemporary(bytes, for: .received)
    try home.replaceWithTemporary(.received)
  }

  private static func openForAppending(in home: Home) throws(FileError) -> File {
    let file = try home.open(.received, flags: O_RDWR | O_APPEND)
    try file.checkPrivate()
    return file
  }

  private func seal(_ entry: Entry) -> [UInt8] {
    var plaintext = entry.sender.bytes
    plaintext.append(entry.messageID)
    plaintext.append(bigEndian: entry.time.milliseconds)
    return plaintext.withUnsafeBytes {
      SecretBox.seal($0, associatedData: Self.header, key: key)
    }
  }

  private func open(_ record: UnsafeRawBufferPointer) -> Entry? {
    var plaintext = [UInt8](repeating: 0, count: Self.entryLength)
    let opened = plaintext.withUnsafeMutableBytes {
      SecretBox.open(record, associatedData: Self.header, key: key, into: $0)
    }
    guard opened, let signing = SigningPublicKey(plaintext[..<32]),
      let agreement = AgreementPublicKey(plaintext[32..<64]),
      let messageID = MessageID(plaintext[64..<80])
    else { return nil }
    let time = plaintext[80...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return Entry(
      sender: PublicKeys(signing: signing, agreement: agreement), messageID: messageID,
      time: Timestamp(milliseconds: time))
  }
}
