import BLELink
import Glibc
import HCIRadio
import Link
import Testing
import Wire

/// Whoever wants to know what comes of a link.
@MainActor
private final class Ear: LinkObserver {
  let link: BLELink
  private(set) var up: [LinkID: LinkDescription] = [:]
  private(set) var received: [Packet] = []
  private(set) var downs: [LinkCloseReason] = []
  private(set) var notices: [String] = []

  init(_ controller: String, number: UInt32) {
    var last = number * 1_000
    let configuration = BLEConfiguration(seed: UInt64(number)) {
      last += 1
      return LinkID(last)
    }
    link = BLELink(configuration, radio: HCIRadio(only: controller))
    link.observer = self
  }

  var only: LinkID? { up.count == 1 ? up.keys.first : nil }
  func forget() { received = [] }

  func statistic(_ name: String) -> Int { link.statistics.first { $0.name == name }?.value ?? -1 }

  func linkCameUp(_ link: LinkID, _ description: LinkDescription) {
    up[link] = description
    self.link.send(sample(UInt64(link.rawValue), 304), on: link)
  }

  func linkWentDown(_ link: LinkID, because reason: LinkCloseReason) {
    up[link] = nil
    downs.append(reason)
  }

  func link(_ link: LinkID, received packet: borrowing PacketView) {
    received.append(Packet(copying: packet))
  }

  func transportNotice(_ transport: String, _ notice: String) { notices.append(notice) }
}

private func sample(_ number: UInt64, _ size: Int) -> Packet {
  var random = SplitMix64(seed: number)
  var id: [UInt8] = []
  id.append(bigEndian: number)
  id.append(bigEndian: random.next())
  return Packet(
    kind: .sealed, hopLimit: 1, time: Timestamp(milliseconds: number),
    id: PacketID(id) ?? PacketID(), destination: Fingerprint(value: 7),
    payload: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
}

private let controllers =
  getenv("AIRLINK_BLE_ADAPTERS").map { String(cString: $0).split(separator: ",").map(String.init) }
  ?? []

/// Real controllers, or btvirt's in the virtual machine: AIRLINK_BLE_ADAPTERS names two that hear
/// each other and that nobody else drives.
@MainActor
@Suite(
  "two controllers over raw HCI", .serialized,
  .enabled(if: controllers.count >= 2, "AIRLINK_BLE_ADAPTERS names no two controllers"))
struct TwoControllersTests {
  /// Lets the event loop have its turns until something holds; a slow emulator is given time.
  private func wait(
    _ what: String, seconds: Int = 90, until isTrue: @MainActor () -> Bool
  ) async throws {
    for _ in 0..<(seconds * 20) {
      if isTrue() { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(what): not within \(seconds) s")
    throw CancellationError()
  }

  @Test("find each other, carry a thousand packets each way, lose and find each other again")
  func everything() async throws {
    let ears = [Ear(controllers[0], number: 1), Ear(controllers[1], number: 2)]
    for ear in ears { ear.link.start() }
    defer { for ear in ears { ear.link.stop() } }
    let clock = ContinuousClock()
    let started = clock.now
    try await wait("two links") {
      ears.allSatisfy { $0.only != nil && !$0.received.isEmpty }
    }
    print("HCIRadio: linked after \(clock.now - started)")
    try await wait("both paths") {
      ears.allSatisfy { ear in
        ear.only.flatMap { ear.link.details(of: $0)?.role } == "client+server"
      }
    }
    for ear in ears {
      let details = ear.only.flatMap { ear.link.details(of: $0) }
      #expect(details?.chunkSize == 510)
    }
    try await thousandPackets(ears)
    // One goes and comes back.
    ears[1].link.stop()
    try await wait("the link is down") { ears[0].up.isEmpty }
    ears[1].link.start()
    try await wait("linked again") { ears.allSatisfy { $0.only != nil } }
    #expect(ears[0].notices == [] && ears[1].notices == [])
  }

  private func thousandPackets(_ ears: [Ear]) async throws {
    let clock = ContinuousClock()
    for ear in ears { ear.forget() }
    let before = ears.map { $0.statistic("shed") }
    let started = clock.now
    var sent = 0
    for number in 0..<1_000 {
      for ear in ears {
        let size = [304, 560, 1_072, 2_096, 4_144, 8_240][number % 6]
        guard let link = ear.only else { throw CancellationError() }
        ear.link.send(sample(UInt64(number) + 10_000, size), on: link)
      }
      sent += 1
      // As fast as the radio takes them, a little over.
      if number % 20 == 19 {
        try await wait("room") { ears.allSatisfy { $0.statistic("queued-chunks") < 40 } }
      }
    }
    try await wait("all of them") {
      ears.allSatisfy { $0.statistic("queued-chunks") == 0 }
        && (0...1).allSatisfy { side in
          ears[1 - side].received.count + ears[side].statistic("shed") - before[side] == 1_000
        }
    }
    let took = clock.now - started
    for (side, ear) in ears.enumerated() {
      let numbers = ear.received.map(\.header.time.milliseconds)
      #expect(Set(numbers).count == numbers.count, "none came twice")
      for packet in ear.received {
        let number = packet.header.time.milliseconds
        let size = [304, 560, 1_072, 2_096, 4_144, 8_240][Int(number - 10_000) % 6]
        #expect(packet == sample(number, size))
      }
      let bytes = ear.received.reduce(0) { $0 + $1.encoded.count }
      print(
        "HCIRadio: \(controllers[side]) got \(ear.received.count) packets, \(bytes) B in \(took)")
    }
  }
}
