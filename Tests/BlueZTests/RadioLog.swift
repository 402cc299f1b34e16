import BLELink
import DBus
import Testing

@testable import BlueZ

/// Notes what a radio tells.
@MainActor
final class RadioLog: BLERadioObserver {
  private(set) var adapters: [AdapterID: BLEAdapter] = [:]
  private(set) var sightings: [BLEDevice] = []
  private(set) var paths: [PathID: BLEPath] = [:]
  private(set) var ended: [BLEConnectFailure] = []
  private(set) var received: [(path: PathID, bytes: [UInt8])] = []
  private(set) var writable: [PathID] = []
  private(set) var troubles: [BLETrouble.Code: BLETrouble] = [:]
  private(set) var limits: [PathID: Int?] = [:]
  /// Everything, in words.
  private(set) var events: [String] = []

  func path(_ role: BLEPath.Role) -> PathID? { paths.first { $0.value.role == role }?.key }

  func adapterUp(_ adapter: AdapterID, _ description: BLEAdapter) {
    adapters[adapter] = description
    events.append("adapter up \(description.name)")
  }

  func adapterDown(_ adapter: AdapterID, because reason: String) {
    let name = adapters.removeValue(forKey: adapter)?.name ?? "?"
    paths = paths.filter { $0.value.device.adapter != adapter }
    events.append("adapter down \(name)")
  }

  func sighted(_ device: BLEDevice, rssi: Int?) { sightings.append(device) }

  func connectEnded(_ device: BLEDevice, because failure: BLEConnectFailure) {
    ended.append(failure)
  }

  func pathUp(_ path: PathID, _ description: BLEPath) {
    paths[path] = description
    events.append("path up \(description.role)")
  }

  func pathChanged(_ path: PathID, chunkLimit: Int?) { limits[path] = chunkLimit }

  func pathDown(_ path: PathID, because reason: String) {
    let role = paths.removeValue(forKey: path).map { "\($0.role)" } ?? "?"
    events.append("path down \(role)")
  }

  func received(_ chunk: RawSpan, on path: PathID) {
    received.append((path, chunk.withUnsafeBytes { Array($0) }))
  }

  func pathWritable(_ path: PathID) { writable.append(path) }

  func scanEnded(on adapter: AdapterID) { events.append("scan ended") }

  func advertisingEnded(on adapter: AdapterID) { events.append("advertising ended") }

  func trouble(_ trouble: BLETrouble) {
    troubles[trouble.code] = trouble
    events.append("trouble \(trouble.code)")
  }

  func troubleOver(_ code: BLETrouble.Code) {
    troubles[code] = nil
    events.append("over \(code)")
  }
}

extension BlueZLimits {
  /// Short pauses, for tests.
  static var quick: BlueZLimits {
    var limits = BlueZLimits()
    limits.settling = .milliseconds(5)
    limits.notificationPause = .milliseconds(10)
    limits.registrationPauses = [.milliseconds(30)]
    limits.adapterGrace = .milliseconds(100)
    limits.objectsPause = .milliseconds(30)
    limits.discoveryRest = .milliseconds(60)
    return limits
  }
}
