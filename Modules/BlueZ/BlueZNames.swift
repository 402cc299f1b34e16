/// What bluetoothd calls things on the bus (BlueZ, doc/adapter-api.txt, device-api.txt,
/// gatt-api.txt, advertising-api.txt).
enum BlueZ {
  static let service = "org.bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattManager = "org.bluez.GattManager1"
  static let gattService = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let advertisement = "org.bluez.LEAdvertisement1"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"
}

/// Bounds and times of this backend.
struct BlueZLimits: Sendable {
  /// Devices of bluetoothd that are kept in mind; of further ones nothing is known.
  var devices = 512
  var adapters = 16
  /// Inboxes and outboxes of one device: one of each is right, more are a service that changes.
  var characteristics = 16
  /// Answers of bluetoothd are waited for this long.
  var callTimeout: Duration = .seconds(25)
  /// As long as it takes to connect; those above give up before.
  var connectTimeout: Duration = .seconds(40)
  /// Chunks, and bytes, written without asking for an answer to one of them: what a slow radio may
  /// have before it.
  var unansweredChunks = 16
  var unansweredBytes = 4_096
  /// After a write without an answer, before the first part of a packet that needs several:
  /// bluetoothd has several channels to a device, and what went by one may come after what went by
  /// another a moment later.
  var settling: Duration = .milliseconds(25)
  /// Notifications that go out in a row, and the time before the next: bluetoothd takes any number
  /// and says nothing of how many wait in it.
  var notificationBurst = 8
  var notificationPause: Duration = .milliseconds(80)
  /// Discovery that rests longer has ended; between its rounds bluetoothd rests five seconds.
  var discoveryRest: Duration = .seconds(12)
  /// Pauses before a registration that failed is tried again.
  var registrationPauses: [Duration] = [2, 5, 15, 30, 60].map { .seconds($0) }
  /// A bluetoothd that has just begun finds its adapters a moment later.
  var adapterGrace: Duration = .seconds(3)
  /// Pause before bluetoothd is asked again for its objects.
  var objectsPause: Duration = .seconds(3)
}

/// A UUID as this program compares it: BlueZ writes it in small letters, others may not.
func isSameUUID(_ one: String?, _ other: String) -> Bool { one?.lowercased() == other }
