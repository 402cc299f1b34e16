internal import BLELink
internal import CommandLine
internal import Glibc
internal import Link
internal import Wire

/// What the policy of Bluetooth links costs for each chunk, against copying the chunk.
///
/// The largest packets go out on one link whose radio takes everything: the queue, the choice of
/// path, the cutting, without any radio.
enum BluetoothCase {
  private static let chunkLength = 510
  private static let packet = Packet(
    kind: .sealed, hopLimit: 7, time: Timestamp(milliseconds: 1_764_489_600_000), id: PacketID(),
    destination: Fingerprint(value: 1),
    payload: [UInt8](repeating: 0x5A, count: PacketHeader.maximumPayloadLength))

  static let chunks = Subject(
    summary: "the next chunk of \(chunkLength) bytes of the largest packets on one link",
    limit: "copying it"
  ) { duration in
    let sender = Sender()
    sender.send(1_000)
    let from = Block([UInt8](repeating: 1, count: chunkLength))
    let to = Block(count: chunkLength)
    let times = Turns(
      subject: { sender.send($0) },
      limit: { count in
        for _ in 0..<count {
          memcpy(to.bytes, from.bytes, chunkLength)
          keep(to)
        }
      }
    ).measure(for: duration)
    guard sender.isUp else { throw Failure("the link went down") }
    return Measurement(subject: times.subject, limit: times.limit, bytes: chunkLength)
  }

  private final class Sender {
    private var policy = BLEPolicy(limits: .standard, allowed: nil, seed: 1)
    private let link = LinkID(1)
    private(set) var isUp = true

    init() {
      let adapter = AdapterID(1)
      policy.adapterUp(
        adapter, BLEAdapter(name: "hci0", address: BLEAddress(1)), now: .zero)
      let path = BLEPath(
        device: BLEDevice(adapter, BLEAddress(2)), role: .client, chunkLimit: 514,
        outlet: OutletID(1), mayReorder: false)
      policy.pathUp(PathID(1), path, now: .zero) { link }
    }

    func send(_ count: Int) {
      for _ in 0..<count {
        while true {
          if let chunk = policy.nextChunk(now: .zero) {
            keep(chunk.range)
            policy.took(chunk, now: .zero)
            break
          }
          guard policy.offer(packet, on: link, now: .zero) == .queued else {
            isUp = false
            return
          }
        }
      }
    }
  }
}
