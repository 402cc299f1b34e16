internal import Wire

/// One direction of one link: its bytes through a chunker, with what got lost told.
///
/// A node closes a link that misbehaves; a capture is read on, by a new chunker from where the old
/// one stopped.
final class LinkStream {
  /// Bytes given to the chunker at once: a piece never holds enough headers to misbehave twice.
  static let pieceLength = 1_024

  private let medium: StreamChunker.Medium
  private let link: CapturedLink
  /// Whether it is one of many on its link, such as a Bluetooth attribute, most of them none of ours:
  /// nothing is told as lost before its first packet.
  private let isOneOfMany: Bool
  private var hasPackets = false
  private let direction: Direction?
  private let findings: Findings
  private var chunker: StreamChunker
  /// What this chunker was fed and what it made packets of.
  private var fed = 0
  private var packed = 0
  /// Of this chunker's statistics, what was told already.
  private var told: StreamChunker.Statistics
  /// Where no times are known each piece gets a window of its own, so that bad CRCs never add up.
  private var pieces: Int64 = 0
  /// Whether so much came without a packet that this is no link of ours; it takes nothing more.
  private(set) var isForeign = false

  init(
    _ medium: StreamChunker.Medium, _ link: CapturedLink, _ direction: Direction?,
    _ findings: Findings, isOneOfMany: Bool = false
  ) {
    self.medium = medium
    self.link = link
    self.direction = direction
    self.findings = findings
    self.isOneOfMany = isOneOfMany
    chunker = StreamChunker(medium)
    told = chunker.statistics
  }

  /// Takes the next bytes.
  func append(_ bytes: RawSpan, _ moment: Moment) {
    var rest = bytes
    while rest.byteCount > 0, !isForeign {
      let piece = rest.extracting(first: Self.pieceLength)
      rest = rest.extracting(droppingFirst: append(piece: piece, moment))
    }
  }

  /// Takes one piece and returns how many of its bytes are dealt with, at least one.
  private func append(piece: RawSpan, _ moment: Moment) -> Int {
    let fault = chunker.append(piece, now: now(moment)) { view in
      self.packed += view.bytes.byteCount
      self.hasPackets = true
      findings.packet(view, on: link, direction, moment)
    }
    tell(moment, isEnd: false)
    guard let fault else {
      fed += piece.byteCount
      return piece.byteCount
    }
    let isOurs = link.isCertain || (isOneOfMany ? hasPackets : link.place != nil)
    if !isOurs, fault == .garbage {
      isForeign = true
      begin()
      return piece.byteCount
    }
    // What the chunker used up: packets and garbage. What it held beyond that is given again where
    // it lies in this piece.
    let used = packed + chunker.statistics.garbage - fed
    tell(moment, isEnd: true)
    lost(.misbehaved(fault), moment)
    begin()
    return min(max(used, 1), piece.byteCount)
  }

  /// So many bytes are missing here; what was begun before them never ends.
  func gap(_ count: Int, _ moment: Moment) {
    guard !isForeign else { return }
    finish(moment)
    lost(.gap(bytes: count), moment)
  }

  /// The capture or the connection is over.
  func finish(_ moment: Moment) {
    tell(moment, isEnd: true)
    if chunker.heldByteCount > 0 {
      lost(.unfinished(bytes: chunker.heldByteCount), moment)
    }
    begin()
  }

  private func lost(_ loss: Loss, _ moment: Moment) {
    guard hasPackets || !isOneOfMany else { return }
    findings.lost(loss, on: link, direction, moment)
  }

  private func begin() {
    chunker = StreamChunker(medium)
    fed = 0
    packed = 0
    told = chunker.statistics
  }

  /// Tells of bytes skipped once a packet stands behind them, or nothing will.
  private func tell(_ moment: Moment, isEnd: Bool) {
    let now = chunker.statistics
    guard isEnd || now.packets > told.packets else { return }
    if now.garbage > told.garbage || now.checksumFailures > told.checksumFailures {
      let skipped = Loss.skipped(
        bytes: now.garbage - told.garbage,
        badChecksums: now.checksumFailures - told.checksumFailures)
      lost(skipped, moment)
    }
    told = now
  }

  private func now(_ moment: Moment) -> Instant {
    if let time = moment.time { return Instant(nanoseconds: time.nanoseconds) }
    pieces += 1
    return .zero + StreamChunker.checksumFailureWindow * Double(2 * pieces)
  }
}
