internal import Wire

/// What was heard of someone in this run.
struct HeardPerson: Sendable {
  let fingerprint: Fingerprint
  var name = ""
  /// The newest hello; nil while only a sealed message of theirs was had.
  var newestHello: (time: Timestamp, id: PacketID)?
  /// When that came in.
  var heardAt: Instant?
  /// When a new name of theirs last went into the contacts on disk.
  var renamedAt: Instant?
}
