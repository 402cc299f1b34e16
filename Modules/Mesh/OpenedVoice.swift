internal import Wire

/// The packets whose frames of voice opened last.
///
/// A copy of one shows that the other side of the call is behind the link it came in on; a copy of
/// anything else shows nothing, and a copy costs its link no token.
struct OpenedVoice: Sendable {
  /// As many as a call's window of frames.
  static let capacity = 64

  private var ids: [PacketID] = []
  private var next = 0

  mutating func add(_ id: PacketID) {
    if ids.count < Self.capacity { ids.append(id) } else { ids[next] = id }
    next = (next + 1) % Self.capacity
  }

  func contains(_ id: PacketID) -> Bool { ids.contains(id) }
}
