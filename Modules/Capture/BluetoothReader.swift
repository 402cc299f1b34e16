internal import Wire

/// A Bluetooth connection as a capture shows it: both directions put together, each characteristic
/// through a chunker of its own.
final class BluetoothConnection: Remembered {
  /// Attributes whose values are looked at; AirLink has one for each direction.
  static let maximumStreams = 32

  private struct StreamKey: Hashable {
    let direction: Direction
    let attribute: UInt16
  }

  var lastRecord: Int
  let firstRecord: Int
  private let link: CapturedLink
  private let findings: Findings
  private var out = L2CAPAssembly()
  private var back = L2CAPAssembly()
  private var enhanced = EnhancedChannels()
  private var streams: [StreamKey: LinkStream] = [:]
  private var order: [LinkStream] = []
  private var lastDirection = Direction.outbound

  init(name: String, _ moment: Moment, _ findings: Findings) {
    firstRecord = moment.record
    lastRecord = moment.record
    self.findings = findings
    link = CapturedLink(isCertain: false) { name }
  }

  /// Takes a piece of ACL data, of which `missing` bytes more were not captured.
  func take(
    _ piece: RawSpan, isContinued: Bool, _ direction: Direction?, missing: Int, _ moment: Moment
  ) {
    // Where nothing says which way a continuation goes it belongs to what is begun.
    let direction =
      direction ?? (out.isOpen == back.isOpen ? lastDirection : out.isOpen ? .outbound : .inbound)
    lastDirection = direction
    var assembly = direction == .outbound ? out : back
    assembly.take(piece, isContinued: isContinued) { channel, packet in
      take(channel, packet, direction, moment)
    } gap: { count in
      lost(count, direction, moment)
    }
    if missing > 0 { assembly.drop { lost($0, direction, moment) } }
    if direction == .outbound { out = assembly } else { back = assembly }
  }

  private func lost(_ count: Int, _ direction: Direction, _ moment: Moment) {
    enhanced.drop(direction)
    findings.lost(.gap(bytes: count), on: link, direction, moment)
  }

  func finish(_ moment: Moment) {
    for stream in order { stream.finish(moment) }
    streams = [:]
    order = []
  }

  private func take(
    _ channel: UInt16, _ packet: RawSpan, _ direction: Direction, _ moment: Moment
  ) {
    switch channel {
    case Attribute.channel: takeAttributes(packet, direction, moment)
    case EnhancedChannels.signalling: enhanced.take(command: packet, direction)
    default:
      // Taken out for the while: a loss that is told looks at it, too.
      var channels = enhanced
      enhanced = EnhancedChannels()
      channels.take(packet, on: channel, direction) {
        takeAttributes($0, direction, moment)
      } gap: {
        findings.lost(.gap(bytes: $0), on: link, direction, moment)
      }
      enhanced = channels
    }
  }

  private func takeAttributes(_ packet: RawSpan, _ direction: Direction, _ moment: Moment) {
    Attribute.values(in: packet) { attribute, value in
      let key = StreamKey(direction: direction, attribute: attribute)
      if let stream = streams[key] {
        stream.append(value, moment)
      } else if streams.count < Self.maximumStreams {
        let stream = LinkStream(.lossy, link, direction, findings, isOneOfMany: true)
        streams[key] = stream
        order.append(stream)
        stream.append(value, moment)
      }
    }
  }
}

/// Records of Bluetooth adapters: the connections in them.
struct BluetoothReader {
  static let capacity = 128

  private struct Key: Hashable {
    let adapter: String
    let handle: UInt16
  }

  private var table = RecentTable<Key, BluetoothConnection>(capacity: capacity)
  private let findings: Findings

  init(_ findings: Findings) { self.findings = findings }

  mutating func take(_ info: RecordInfo, _ bytes: RawSpan, _ moment: Moment) {
    var adapter = info.interface.isEmpty ? "hci" : info.interface
    let packet: HCIPacket
    switch info.linkType {
    case .bluetoothH4: packet = HCIPacket(h4: bytes, at: 0, info.direction)
    case .bluetoothH4WithDirection:
      let isInbound = bytes.load(3, as: UInt8.self).map { $0 & 1 == 1 } ?? false
      packet = HCIPacket(h4: bytes, at: 4, isInbound ? .inbound : .outbound)
    default:
      adapter = "hci\(bytes.load(0, as: UInt16.self) ?? 0)"
      packet = HCIPacket(monitor: bytes)
    }
    switch packet {
    case .connected(let handle, let peer):
      let address = peer.map { [$0].hex.uppercased() }.joined(separator: ":")
      begin(Key(adapter: adapter, handle: handle), "\(adapter) \(address)", moment)
    case .disconnected(let handle): end(Key(adapter: adapter, handle: handle), moment)
    case .data(let handle, let isContinued, let direction, let range):
      let key = Key(adapter: adapter, handle: handle)
      let connection =
        table.use(key, by: moment.record) ?? begin(key, "\(adapter) handle \(handle)", moment)
      connection.take(
        bytes.extracting(range), isContinued: isContinued, direction,
        missing: HCIPacket.missing(bytes, dataAt: range.lowerBound), moment)
    case .other: break
    }
  }

  /// The capture is over.
  mutating func finish(_ moment: Moment) {
    for connection in table.all { connection.finish(moment) }
  }

  @discardableResult
  private mutating func begin(
    _ key: Key, _ name: String, _ moment: Moment
  ) -> BluetoothConnection {
    end(key, moment)
    let connection = BluetoothConnection(name: name, moment, findings)
    for old in table.insert(connection, for: key) { old.finish(moment) }
    return connection
  }

  private mutating func end(_ key: Key, _ moment: Moment) {
    table.use(key, by: moment.record)?.finish(moment)
    table.remove(key)
  }
}
