internal import Wire

/// What was heard of someone in this run.
struct HeardPerson: Sendable {
  let fingerprint: Fingerprint
  var name: String
  /// The newest hello; nil while only a sealed message of theirs was had.
  var newestHello: (time: Timestamp, id: PacketID)?
  /// Whether the user was told that these keys contradict a pin.
  var conflictTold = false
}

extension Mesh {
  /// Everyone heard, pinned or not.
  static var peopleCapacity: Int { 1_024 }
  /// Of them, those first heard on one link.
  static var peopleShare: Int { 256 }
}
