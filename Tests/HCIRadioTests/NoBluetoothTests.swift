import BLELink
import Testing

@testable import HCIRadio

/// Hears the first thing that a radio says.
@MainActor
private final class FirstWord: BLERadioObserver {
  var heard: ((BLETrouble?) -> Void)?

  private func say(_ trouble: BLETrouble?) {
    heard?(trouble)
    heard = nil
  }

  func adapterUp(_ adapter: AdapterID, _ description: BLEAdapter) { say(nil) }
  func trouble(_ trouble: BLETrouble) { say(trouble) }
  func adapterDown(_ adapter: AdapterID, because reason: String) {}
  func sighted(_ device: BLEDevice, rssi: Int?) {}
  func connectEnded(_ device: BLEDevice, because failure: BLEConnectFailure) {}
  func pathUp(_ path: PathID, _ description: BLEPath) {}
  func pathChanged(_ path: PathID, chunkLimit: Int?) {}
  func pathDown(_ path: PathID, because reason: String) {}
  func received(_ chunk: RawSpan, on path: PathID) {}
  func pathWritable(_ path: PathID) {}
  func scanEnded(on adapter: AdapterID) {}
  func advertisingEnded(on adapter: AdapterID) {}
  func troubleOver(_ code: BLETrouble.Code) {}
}

@MainActor
@Suite("a radio where there is none")
struct NoBluetoothTests {
  /// `hci199` is no controller anywhere; where the kernel has no Bluetooth at all, that is said.
  @Test("says what is missing")
  func saysSo() async throws {
    let radio = HCIRadio(only: "hci199")
    let first = FirstWord()
    radio.observer = first
    let trouble = await withCheckedContinuation { continuation in
      first.heard = { continuation.resume(returning: $0) }
      radio.start()
    }
    radio.stop()
    let said = try #require(trouble)
    #expect([.noStack, .noAdapter].contains(said.code))
    #expect(said.text.contains("Bluetooth"))
    if said.code == .noStack { #expect(said.hint != nil) }
  }

  @Test("takes commands for what is not there")
  func ignoresCommands() {
    let radio = HCIRadio()
    let device = BLEDevice(AdapterID(1), BLEAddress(7))
    radio.setAdvertising(true, on: AdapterID(1))
    radio.setScanning(true, on: AdapterID(1))
    radio.connect(to: device)
    radio.disconnect(from: device)
    radio.forget(device)
    let chunk: [UInt8] = [1]
    let outcome = radio.send(chunk.span.bytes, on: PathID(1))
    #expect(outcome == .gone)
  }
}
