internal import CommandLine
internal import Node
internal import PacketLog
internal import Wire

/// `--capture FILE`: what crosses the node's links, into a file.
final class PacketCapture: PacketTap {
  private let log: PacketLog

  init(path: String, _ console: Console) throws(Failure) {
    do throws(PacketLogError) {
      log = try PacketLog(path: path, application: "airlink-node \(airLinkVersion)")
    } catch {
      throw Failure(
        "cannot write the capture \(quoted(path)): \(error.reason)",
        hints: "name a new file in a folder that is yours")
    }
    log.onEnd = { reason in
      console.warning("the capture \(quoted(path)) ends here: \(reason)")
    }
  }

  var leftOut: Int { log.leftOut }

  func packetCameIn(_ packet: borrowing PacketView, link: String) {
    log.note(packet.bytes, isInbound: true, link: link)
  }

  func packetWentOut(_ packet: Packet, link: String) {
    log.note(packet.view.bytes, isInbound: false, link: link)
  }
}
