internal import Capture
internal import CommandLine
internal import Seal
internal import Wire

extension ValueType where Value == FollowedID {
  static var followedID: Self {
    ValueType("ID") { (text: String) throws(Refusal) -> FollowedID in
      let digits = text.lowercased()
      guard (FollowedID.shortest...32).contains(digits.utf8.count),
        digits.utf8.allSatisfy({ FollowedID.digits.contains($0) })
      else {
        throw Refusal(
          "wants \(FollowedID.shortest) to 32 hexadecimal digits of an id, not \(quoted(text))")
      }
      return FollowedID(prefix: digits)
    }
  }
}

/// The id of a packet or message, or the first digits of it.
struct FollowedID: Hashable, Sendable {
  /// With fewer digits strangers would be taken for one.
  static let shortest = 6
  fileprivate static let digits = Set("0123456789abcdef".utf8)

  let prefix: String
}

/// One message's way through the mesh, for `--follow`.
///
/// A packet belongs to it by its id. Where it can be opened its message id counts too, so that what
/// was sent again under another id is followed, and the receipt ends the way.
struct Follow {
  /// Links that are named in the summary.
  static let maximumLinks = 256

  let id: FollowedID
  private(set) var packets = 0
  private(set) var links: [Int] = []
  private(set) var firstHop: UInt8 = 0
  private(set) var lowestHop: UInt8 = .max
  private(set) var firstTime: Int64?
  private(set) var lastTime: Int64?
  private(set) var receiptTime: Int64?
  private(set) var hasReceipt = false

  init(_ id: FollowedID) { self.id = id }

  /// Whether a packet belongs to the way; if so it is counted.
  mutating func take(_ facts: PacketFacts, _ opening: Opening?) -> Bool {
    var isReceipt = false
    if !facts.header.id.hex.hasPrefix(id.prefix) {
      guard case .opened(let message)? = opening else { return false }
      if case .receipt(let whose) = message.envelope.content, whose.hex.hasPrefix(id.prefix) {
        isReceipt = true
      } else if !message.envelope.messageID.hex.hasPrefix(id.prefix) {
        return false
      }
    }
    let time = facts.crossing.time?.nanoseconds
    guard !isReceipt else {
      if !hasReceipt { receiptTime = time }
      hasReceipt = true
      return true
    }
    if packets == 0 {
      firstHop = facts.header.hopLimit
      firstTime = time
    }
    packets += 1
    lowestHop = min(lowestHop, facts.header.hopLimit)
    lastTime = time ?? lastTime
    if !links.contains(facts.crossing.link), links.count < Self.maximumLinks {
      links.append(facts.crossing.link)
    }
    return true
  }

  private func span(to time: Int64?) -> Int64? {
    guard let time, let firstTime else { return nil }
    let (span, overflow) = time.subtractingReportingOverflow(firstTime)
    return overflow ? nil : span / 1_000_000
  }

  /// The end of it all, in a line; `isFiltered` says that a filter chose what this is about.
  func put(names: (Int) -> String, isFiltered: Bool, into text: inout TextBuffer) {
    guard packets > 0 else {
      let place = isFiltered ? "among what the filter lets pass" : "in the capture"
      text.put("nothing of \(id.prefix) is \(place)\n")
      return
    }
    text.put("seen \(packets) time\(packets == 1 ? "" : "s") on ")
    text.put(links.map { "\(DisplayText(names($0)))" }.joined(separator: ", "))
    text.put(lowestHop < firstHop ? ", hop \(firstHop) down to \(lowestHop)" : ", hop \(firstHop)")
    if let milliseconds = span(to: lastTime) {
      text.put(", within ")
      text.putSeconds(milliseconds: milliseconds)
    }
    if hasReceipt {
      text.put(", receipt")
      if let milliseconds = span(to: receiptTime) {
        text.put(" after ")
        text.putSeconds(milliseconds: milliseconds)
      }
    }
    text.endLine()
  }

  func object(names: (Int) -> String) -> JSONObject {
    var object: JSONObject = ["event": "follow", "id": .string(id.prefix)]
    object["packets"] = .count(packets)
    object["links"] = .array(links.map { .string(names($0)) })
    if packets > 0 {
      object["firstHopLimit"] = .count(firstHop)
      object["lowestHopLimit"] = .count(lowestHop)
    }
    object["milliseconds"] = span(to: lastTime).map(JSONValue.integer)
    object["receipt"] = .bool(hasReceipt)
    object["receiptMilliseconds"] = span(to: receiptTime).map(JSONValue.integer)
    return object
  }
}
