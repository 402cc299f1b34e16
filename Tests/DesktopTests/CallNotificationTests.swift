import DBus
import TestSupport
import Testing

@testable import Desktop

/// A desktop's notification service that records what it is asked.
@MainActor
private final class FakeDesktop {
  static let name = "org.freedesktop.Notifications"
  static let path: ObjectPath = "/org/freedesktop/Notifications"

  let client: BusClient
  private(set) var shown: [[Value]] = []
  private(set) var closed: [UInt32] = []
  private(set) var asked = 0
  var capabilities: [String]
  var refuses = false
  var makesNoSense = false

  init(_ bus: PrivateBus, capabilities: [String] = ["actions", "body", "body-markup"]) async throws
  {
    self.capabilities = capabilities
    client = BusClient(bus.address)
    client.export(
      Self.path,
      [
        ExportedInterface(
          Self.name,
          methods: [
            "GetCapabilities": { [weak self] _ in
              self?.asked += 1
              return .success([.strings(self?.capabilities ?? [])])
            },
            "Notify": { [weak self] call in
              guard let self, !refuses else { return .failure(MethodError(.failed, "full")) }
              shown.append(call.arguments)
              return .success([makesNoSense ? .string("7") : .uint32(UInt32(shown.count))])
            },
            "CloseNotification": { [weak self] call in
              if case .uint32(let id)? = call.arguments.first { self?.closed.append(id) }
              return .success([])
            },
          ])
      ])
    try await bus.own(Self.name, client)
  }

  func invoke(_ id: UInt32, _ key: String, by client: BusClient? = nil) {
    _ = (client ?? self.client).emit(
      Self.path, Self.name, "ActionInvoked", [.uint32(id), .string(key)])
  }

  func close(_ id: UInt32) {
    _ = client.emit(Self.path, Self.name, "NotificationClosed", [.uint32(id), .uint32(2)])
  }
}

@Suite(
  "CallNotification", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: PrivateBus.isInstalled, "there is no dbus-daemon here"))
@MainActor
struct CallNotificationTests {
  private let notice = CallNotice(summary: "<b>Ada</b> & co is calling", body: "7M2K-Q9XD <i>&")

  @Test("it shows who calls, urgent and transient, with Answer and Decline, and goes with the ring")
  func shows() async throws {
    let bus = try PrivateBus()
    let desktop = try await FakeDesktop(bus)
    let notification = CallNotification(bus.address)
    var chosen: [CallNotification.Choice] = []
    notification.chosen = { chosen.append($0) }
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 1 }
    let arguments = desktop.shown[0]
    #expect(arguments[0].string == "AirLink")
    #expect(arguments[3].string == notice.summary)
    #expect(arguments[4].string == "7M2K-Q9XD &lt;i&gt;&amp;")
    #expect(arguments[5].strings == ["answer", "Answer", "decline", "Decline"])
    let hints = try #require(arguments[6].properties)
    #expect(hints["transient"]?.bool == true && hints["urgency"] == .byte(2))
    #expect(arguments[7] == .int32(0))
    // The answer to Notify comes before what is told of it.
    desktop.invoke(1, "answer")
    desktop.invoke(1, "decline")
    try await eventually("chosen") { chosen == [.answer, .decline] }
    notification.stop()
    try await eventually("closed") { desktop.closed == [1] }
    notification.end()
  }

  @Test("only the service itself, about our own notification, chooses; and nobody once it is over")
  func others() async throws {
    let bus = try PrivateBus()
    let desktop = try await FakeDesktop(bus)
    let stranger = try await bus.service("org.example.stranger")
    let notification = CallNotification(bus.address)
    var chosen: [CallNotification.Choice] = []
    notification.chosen = { chosen.append($0) }
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 1 }
    desktop.invoke(1, "answer", by: stranger)
    desktop.invoke(2, "answer")
    desktop.invoke(1, "default")
    desktop.invoke(1, "decline")
    try await eventually("chosen") { !chosen.isEmpty }
    #expect(chosen == [.decline])
    notification.stop()
    desktop.invoke(1, "answer")
    notification.ring(notice)
    try await eventually("the next one") { desktop.shown.count == 2 }
    desktop.invoke(1, "answer")
    desktop.invoke(2, "answer")
    try await eventually("chosen") { chosen.count == 2 }
    #expect(chosen == [.decline, .answer])
    notification.end()
    try await eventually("closed") { desktop.closed == [1, 2] || desktop.closed == [1] }
  }

  @Test("a desktop without actions or markup gets plain words that say what to do")
  func plain() async throws {
    let bus = try PrivateBus()
    let desktop = try await FakeDesktop(bus, capabilities: ["body"])
    let notification = CallNotification(bus.address)
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 1 }
    #expect(
      desktop.shown[0][4].string == "7M2K-Q9XD <i>&; answer or decline in the terminal")
    #expect(desktop.shown[0][5].strings == [])
    // Waved away: it stays away.
    desktop.close(1)
    notification.stop()
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 2 }
    notification.end()
  }

  @Test("a ring that is over before it was shown is closed when it is")
  func brief() async throws {
    let bus = try PrivateBus()
    let desktop = try await FakeDesktop(bus)
    let notification = CallNotification(bus.address)
    notification.ring(notice)
    try await eventually("asked") { desktop.asked == 1 }
    for _ in 0..<5 {
      notification.stop()
      notification.ring(notice)
    }
    notification.stop()
    notification.ring(notice)
    try await eventually("the last is shown") {
      desktop.shown.count >= 1 && desktop.closed.count == desktop.shown.count - 1
    }
    notification.end()
  }

  @Test("refused, senseless or absent: it is told, and nothing else happens; a new desktop gets it")
  func troubles() async throws {
    let bus = try PrivateBus()
    let notification = CallNotification(bus.address)
    var troubles: [String] = []
    notification.trouble = { troubles.append($0) }
    notification.ring(notice)
    try await eventually("told") { troubles.count == 1 }
    #expect(troubles[0].hasPrefix("the desktop shows no notification: "))
    notification.stop()
    var desktop = try await FakeDesktop(bus)
    desktop.refuses = true
    notification.ring(notice)
    try await eventually("refused") { troubles.count == 2 }
    desktop.refuses = false
    desktop.makesNoSense = true
    notification.ring(notice)
    try await eventually("senseless") { troubles.count == 3 }
    desktop.makesNoSense = false
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 2 }
    // One more call, for the answer to have come.
    notification.stop()
    notification.ring(notice)
    try await eventually("shown") { desktop.shown.count == 3 && desktop.closed == [2] }
    desktop.client.stop()
    desktop = try await FakeDesktop(bus)
    try await eventually("shown by the new one") { desktop.shown.count == 1 }
    bus.kill()
    notification.stop()
    notification.ring(notice)
    notification.end()
    #expect(notification.statistics.isEmpty)
  }

  @Test("a hundred rings leave nothing behind at the bus but what is listened for")
  func leaks() async throws {
    let bus = try PrivateBus()
    let desktop = try await FakeDesktop(bus)
    let notification = CallNotification(bus.address)
    for count in 1...100 {
      notification.ring(notice)
      try await eventually("shown") { desktop.shown.count == count }
      notification.stop()
    }
    try await eventually("closed") { desktop.closed.count == 100 }
    let held = Dictionary(uniqueKeysWithValues: notification.statistics.map { ($0.name, $0.value) })
    #expect(held["calls"] == 0 && held["rules"] == 3 && held["names"] == 1)
    notification.end()
  }
}
