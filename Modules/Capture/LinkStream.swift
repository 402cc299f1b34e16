internal import Wire

/// One direction of one link: its bytes through a chunker, with what got lost told.
///
/// A node closes a link that misbehaves; a capture is read on, by a new chunker from where the old
/// one stopped.
final class LinkStream {
  /// Bytes given to the chunker at once: a piece never holds enough headers to misbehave twice.
  static let pieceLength = 1_024

  private let medium: StreamChunker.Medium
  private var chunker: StreamChunker
  /// What this chunker was fed and what it made packets of.
  private var fed = 0
  private var packed = 0
  /// Of this chunker's statistics, what was told already.
  private var told: StreamChunker.Statistics
  /// Where no times are known each piece gets a window of its own, so that bad CRCs never add up.
  private var pieces: Int64 = 0

  init(_ medium: StreamChunker.Medium) {
    self.medium = medium
    chunker = StreamChunker(medium)
    told = chunker.statistics
  }

  /// Takes the next bytes.
  func append(_ bytes: RawSpan, _ crossing: Crossing, _ visitor: any PacketVisitor) {
    var rest = bytes
    while rest.byteCount > 0 {
      let piece = rest.extracting(first: Self.pieceLength)
      rest = rest.extracting(droppingFirst: append(piece: piece, crossing, visitor))
    }
  }

  /// Takes one piece and returns how many of its bytes are dealt with, at least one.
  private func append(
    piece: RawSpan, _ crossing: Crossing, _ visitor: any PacketVisitor
  ) -> Int {
    let fault = chunker.append(piece, now: now(crossing)) { view in
      self.packed += view.bytes.byteCount
      visitor.packet(crossing, view)
    }
    tell(crossing, visitor, isEnd: false)
    guard let fault else {
      fed += piece.byteCount
      return piece.byteCount
    }
    // What the chunker used up: packets and garbage. What it held beyond that is given again where
    // it lies in this piece.
    let used = packed + chunker.statistics.garbage - fed
    tell(crossing, visitor, isEnd: true)
    visitor.lost(crossing, .misbehaved(fault))
    begin()
    return min(max(used, 1), piece.byteCount)
  }

  /// The capture or the connection is over.
  func finish(_ crossing: Crossing, _ visitor: any PacketVisitor) {
    tell(crossing, visitor, isEnd: true)
    if chunker.heldByteCount > 0 {
      visitor.lost(crossing, .unfinished(bytes: chunker.heldByteCount))
    }
    begin()
  }

  private func begin() {
    chunker = StreamChunker(medium)
    fed = 0
    packed = 0
    told = chunker.statistics
  }

  /// Tells of bytes skipped once a packet stands behind them, or nothing will.
  private func tell(_ crossing: Crossing, _ visitor: any PacketVisitor, isEnd: Bool) {
    let now = chunker.statistics
    guard isEnd || now.packets > told.packets else { return }
    if now.garbage > told.garbage || now.checksumFailures > told.checksumFailures {
      visitor.lost(
        crossing,
        .skipped(
          bytes: now.garbage - told.garbage,
          badChecksums: now.checksumFailures - told.checksumFailures))
    }
    told = now
  }

  private func now(_ crossing: Crossing) -> Instant {
    if let time = crossing.time { return Instant(nanoseconds: time.nanoseconds) }
    pieces += 1
    return .zero + StreamChunker.checksumFailureWindow * Double(2 * pieces)
  }
}
