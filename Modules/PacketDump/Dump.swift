internal import Capture
internal import CommandLine
internal import Wire

/// Takes the packets of a capture and prints what was asked for.
final class Dump: PacketVisitor {
  struct Settings {
    var isJSON = false
    var detail = LinePrinter.Detail()
    var statistics = false
    var filter: Filter?
    /// Opens what was sealed to an identity.
    var opener: Opener?
    /// The one message to show.
    var follow: FollowedID?
    /// Ends after so many packets shown.
    var limit = Int.max
    /// Each record's lines are written at once.
    var isLineBuffered = false
  }

  private let settings: Settings
  /// What the filter wants to be read of a packet.
  private let wants: Filter.Wants
  private let sink: TextSink
  private let lines: LinePrinter
  private let objects: JSONPrinter
  private var text = TextBuffer()
  private var copies = CopyTable()
  private var statistics = TrafficStatistics()
  private var calls = CallTable()
  private var follow: Follow?
  private var labels: [LinkLabel] = []
  private var shown = 0
  /// Why nothing can be written any more.
  private var writeError: WriteError?

  /// The names of the capture's links, by their place.
  var links: () -> [String] = { [] }

  init(_ settings: Settings, _ sink: TextSink) {
    self.settings = settings
    wants = settings.filter?.wants ?? []
    self.sink = sink
    follow = settings.follow.map { Follow($0) }
    lines = LinePrinter(detail: settings.detail)
    objects = JSONPrinter(bytes: settings.detail.bytes)
  }

  /// Whether what was asked for is there.
  var isDone: Bool { shown >= settings.limit || writeError != nil }

  /// Whether nothing is chosen.
  private var showsAll: Bool { settings.filter == nil && settings.follow == nil }

  /// What was lost, by code.
  var losses: [String: Int] { statistics.losses }

  func packet(_ crossing: Crossing, _ view: borrowing PacketView) {
    guard !isDone else { return }
    // Before the header is copied: it was written a moment ago, field by field, and to read it
    // whole at once waits until the processor has put it together.
    let sighting = copies.note(view.header, link: crossing.link)
    let facts = PacketFacts(
      crossing: crossing, header: view.header, refusal: view.refusal, sighting: sighting)
    var opening: Opening?
    if let opener = settings.opener, wants.contains(.opening) { opening = opener.open(view) }
    if let filter = settings.filter {
      let subject = FilterSubject(facts, view, opening, wants, link: name(crossing.link))
      guard filter.passes(subject) else { return }
    }
    if let opener = settings.opener, !wants.contains(.opening) { opening = opener.open(view) }
    if follow?.take(facts, opening) == false { return }
    shown += 1
    if settings.statistics {
      statistics.count(facts)
      if facts.header.kind == .voice, facts.refusal == nil {
        calls.note(view.payload, crossing, to: facts.header.destination)
      }
      return
    }
    if settings.isJSON {
      let (link, firstLink) = (name(crossing.link), name(facts.sighting.firstLink))
      text.put(objects.object(facts, view, opening, link: link, firstLink: firstLink).line)
    } else {
      let firstLink = facts.isCopy ? label(facts.sighting.firstLink) : nil
      lines.put(
        facts, view, opening, link: label(crossing.link), firstLink: firstLink, into: &text)
    }
    if text.count >= TextBuffer.capacity { flush() }
  }

  /// Frames belong to no message's way.
  func frame(_ crossing: Crossing, _ frame: CallFrame, _ bytes: RawSpan) {
    guard !isDone, settings.follow == nil else { return }
    if let filter = settings.filter {
      let subject = FilterSubject(frame, crossing, link: name(crossing.link))
      guard filter.passes(subject) else { return }
    }
    shown += 1
    if settings.statistics { return calls.note(bytes, crossing, to: nil) }
    if settings.isJSON {
      text.put(objects.object(frame, crossing, bytes, link: name(crossing.link)).line)
    } else {
      lines.put(frame, crossing, bytes, link: label(crossing.link), into: &text)
    }
    if text.count >= TextBuffer.capacity { flush() }
  }

  /// Losses are shown where everything is: a filter is about what is there.
  func lost(_ crossing: Crossing, _ loss: Loss) {
    guard !isDone else { return }
    statistics.count(loss, on: crossing.link)
    guard showsAll, !settings.statistics else { return }
    if settings.isJSON {
      text.put(objects.object(loss, crossing, link: name(crossing.link)).line)
    } else {
      lines.put(loss, crossing, link: label(crossing.link), into: &text)
    }
    if text.count >= TextBuffer.capacity { flush() }
  }

  /// A record is dealt with.
  func recordEnded() {
    if settings.isLineBuffered { flush() }
  }

  /// The capture is over, or cannot be read on: what is left is written.
  func finish() throws(WriteError) {
    if settings.statistics, writeError == nil {
      let printer = StatisticsPrinter(
        statistics: statistics, calls: calls.voices, names: links())
      if settings.isJSON {
        for object in printer.objects { text.put(object.line) }
      } else {
        printer.put(into: &text)
      }
    }
    if let follow, !settings.statistics {
      if settings.isJSON {
        text.put(follow.object(names: name).line)
      } else {
        follow.put(names: name, isFiltered: settings.filter != nil, into: &text)
      }
    }
    flush()
    if let writeError { throw writeError }
  }

  private func flush() {
    guard writeError == nil else { return }
    do throws(WriteError) { try text.flush(to: sink) } catch { writeError = error }
  }

  private func name(_ link: Int) -> String {
    let links = links()
    return links.indices.contains(link) ? links[link] : ""
  }

  /// A link's name as it stands on lines, made harmless once.
  private func label(_ link: Int) -> LinkLabel {
    while labels.count <= link, labels.count <= PacketReader.maximumLinks {
      labels.append(LinkLabel(name(labels.count)))
    }
    return labels.indices.contains(link) ? labels[link] : LinkLabel("")
  }
}
