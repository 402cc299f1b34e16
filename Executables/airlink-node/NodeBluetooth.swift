internal import BLELink
internal import BlueZ
internal import CommandLine
internal import HCIRadio
internal import Identity
internal import Wire

/// Which way to Bluetooth LE.
enum BluetoothChoice: String, CaseIterable, Sendable {
  /// bluetoothd where it runs; where there is no Bluetooth, nothing is said of it.
  case auto
  /// bluetoothd; what is missing is said.
  case bluez
  /// Raw HCI, for adapters that no bluetoothd drives; never chosen by itself.
  case hci
  case off
}

/// Composes the Bluetooth link.
@MainActor
enum NodeBluetooth {
  /// The addresses that alone are linked with, for tests: all virtual controllers hear each other.
  static let peersVariable = "AIRLINK_BLE_PEERS"

  /// The link that the options ask for; nil for none.
  ///
  /// `remark` is told what a user hears only on asking: on most machines without Bluetooth nobody
  /// misses it.
  static func link(
    _ arguments: Arguments, environment: [String: String],
    nextLinkID: @escaping @MainActor () -> LinkID,
    remark: @escaping @MainActor (String) -> Void
  ) throws -> BLELink? {
    let choice = arguments[NodeOptions.bluetooth, default: .auto]
    guard choice != .off else { return nil }
    var configuration = BLEConfiguration(seed: SystemRandom.word(), nextLinkID: nextLinkID)
    if let peers = environment[peersVariable] {
      guard let addresses = BLEConfiguration.addresses(in: peers) else {
        throw Failure("\(peersVariable) holds something that is no Bluetooth address")
      }
      configuration.allowed = addresses
    }
    let adapter = arguments[NodeOptions.bluetoothAdapter]
    if choice == .hci { return BLELink(configuration, radio: HCIRadio(only: adapter)) }
    let radio = BlueZRadio(adapter: adapter)
    if choice == .auto { radio.remark = remark }
    return BLELink(configuration, radio: radio)
  }
}
