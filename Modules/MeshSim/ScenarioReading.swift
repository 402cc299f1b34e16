public import CommandLine
internal import Mesh
internal import Outbox
internal import Router
internal import Wire

/// Why a text is no scenario.
public struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Scenario {
  /// The most devices of a world.
  public static let maximumDevices = 1_000_000

  /// The scenario that a JSON object describes (`docs/MESH.md`); unknown fields are refused.
  public init(json: JSONValue) throws(ScenarioError) {
    self.init()
    var fields = try Fields(json, "the scenario")
    name = try fields.text("name") ?? name
    about = try fields.text("about") ?? about
    devices = try fields.count("devices", in: 1...Self.maximumDevices) ?? devices
    if let sides = try fields.numbers("area", 2) { area = (sides[0], sides[1]) }
    layout = try fields.choice("layout") ?? layout
    spacing = try fields.number("spacing", in: 0.1...1_000_000) ?? spacing
    mobility = try fields.choice("mobility") ?? mobility
    speed = try fields.range("speed") ?? speed
    pause = try fields.range("pause") ?? pause
    couriers = try fields.count("couriers", in: 0...Self.maximumDevices) ?? couriers
    tick = try fields.seconds("tick", in: 0.05...3_600) ?? tick
    duration = try fields.seconds("duration", in: 1...1_000_000) ?? duration
    if let list = try fields.list("radios") {
      radios = []
      for item in list { radios.append(try Radio(json: item)) }
    }
    guard (1...8).contains(radios.count) else { throw ScenarioError("radios: wants 1 to 8") }
    if let value = fields.take("texts") { try readTexts(value) }
    if let value = fields.take("faults") { try readFaults(value) }
    if let value = fields.take("attackers") { try readAttackers(value) }
    if let value = fields.take("policy") { try readPolicy(value) }
    if let value = fields.take("expect") { try readExpectations(value) }
    try fields.end()
    guard attackers.count + (layout == .villages ? couriers : 0) < devices else {
      throw ScenarioError("attackers and couriers leave no device over")
    }
  }

  private mutating func readTexts(_ value: JSONValue) throws(ScenarioError) {
    var fields = try Fields(value, "texts")
    textsEach = try fields.count("each", in: 0...10_000) ?? textsEach
    if let times = try fields.range("between") {
      textTimes = .fromSeconds(times.lowerBound)...(.fromSeconds(times.upperBound))
    }
    if let sizes = try fields.range("bytes") {
      guard sizes.lowerBound >= 16, sizes.upperBound <= 8_045 else {
        throw ScenarioError("texts.bytes: within 16 and 8045")
      }
      textSizes = Int(sizes.lowerBound)...Int(sizes.upperBound)
    }
    addressees = try fields.choice("to") ?? addressees
    contacts = try fields.count("contacts", in: 1...1_000) ?? contacts
    try fields.end()
  }

  private mutating func readFaults(_ value: JSONValue) throws(ScenarioError) {
    var fields = try Fields(value, "faults")
    faults.radioOffShare = try fields.number("radioOffShare", in: 0...1) ?? 0
    faults.radioOffEvery =
      try fields.seconds("radioOffEvery", in: 1...1_000_000) ?? faults.radioOffEvery
    faults.radioOffFor = try fields.seconds("radioOffFor", in: 1...1_000_000) ?? faults.radioOffFor
    faults.restartShare = try fields.number("restartShare", in: 0...1) ?? 0
    faults.restartEvery =
      try fields.seconds("restartEvery", in: 1...1_000_000) ?? faults.restartEvery
    faults.restartAfter =
      try fields.seconds("restartAfter", in: 0.1...1_000_000) ?? faults.restartAfter
    faults.clockSkew = try fields.seconds("clockSkew", in: 0...1_000_000) ?? .zero
    faults.clockDriftPPM = try fields.count("clockDriftPPM", in: 0...100_000) ?? 0
    faults.wrongClockShare = try fields.number("wrongClockShare", in: 0...1) ?? 0
    faults.wrongClockBy =
      try fields.seconds("wrongClockBy", in: 0...10_000_000) ?? faults.wrongClockBy
    try fields.end()
  }

  private mutating func readAttackers(_ value: JSONValue) throws(ScenarioError) {
    var fields = try Fields(value, "attackers")
    let most = 0...100_000
    attackers.flooders = try fields.count("flooders", in: most) ?? 0
    attackers.replayers = try fields.count("replayers", in: most) ?? 0
    attackers.forgers = try fields.count("forgers", in: most) ?? 0
    attackers.blackHoles = try fields.count("blackHoles", in: most) ?? 0
    attackers.relabellers = try fields.count("relabellers", in: most) ?? 0
    attackers.rate = try fields.count("rate", in: 1...100_000) ?? attackers.rate
    try fields.end()
  }

  private mutating func readPolicy(_ value: JSONValue) throws(ScenarioError) {
    var fields = try Fields(value, "policy")
    if let wait = try fields.range("relayWaitMs") {
      policy.relayWait =
        wait.upperBound > 0
        ? .fromSeconds(wait.lowerBound / 1_000)...(.fromSeconds(wait.upperBound / 1_000)) : nil
    }
    policy.answersRepeats = try fields.flag("answersRepeats") ?? policy.answersRepeats
    policy.receiptsGoAsFar = try fields.flag("receiptsGoAsFar") ?? policy.receiptsGoAsFar
    if try fields.flag("resendsOnHello") == false {
      policy.outbox.quietBeforeHello = .seconds(1_000_000)
    }
    if let steps = try fields.list("schedule") {
      policy.outbox.schedule = []
      for step in steps {
        guard let seconds = step.number, (1...1_000_000).contains(seconds) else {
          throw ScenarioError("policy.schedule: wants seconds")
        }
        policy.outbox.schedule.append(.fromSeconds(seconds))
      }
    }
    policy.outbox.laterStep =
      try fields.seconds("laterStep", in: 1...1_000_000) ?? policy.outbox.laterStep
    if let table = try fields.list("hopLimits") { policy.hopLimits = try HopLimits(table) }
    relaysLaterCopies = try fields.flag("relaysLaterCopies") ?? false
    isPlainFlooding = try fields.flag("plainFlooding") ?? false
    try fields.end()
  }

  private mutating func readExpectations(_ value: JSONValue) throws(ScenarioError) {
    var fields = try Fields(value, "expect")
    expectations.reachableDelivered = try fields.number("reachableDelivered", in: 0...1) ?? 0
    expectations.delivered = try fields.number("delivered", in: 0...1) ?? 0
    expectations.transmissionsPerReached =
      try fields.number("transmissionsPerReached", in: 0...1_000_000) ?? .infinity
    try fields.end()
  }
}

extension HopLimits {
  /// Pairs of devices and hops, the last one `["more", hops]`.
  fileprivate init(_ table: [JSONValue]) throws(ScenarioError) {
    var steps: [Step] = []
    var beyond: UInt8?
    for line in table {
      guard let pair = line.array, pair.count == 2, let hops = pair[1].integer,
        (1...15).contains(hops), beyond == nil
      else { throw ScenarioError("policy.hopLimits: wants [[devices, hops], …, [\"more\", hops]]") }
      if let devices = pair[0].integer, (0...1_000_000).contains(devices) {
        steps.append(Step(devices: Int(devices), hopLimit: UInt8(hops)))
      } else {
        beyond = UInt8(hops)
      }
    }
    guard let beyond else { throw ScenarioError("policy.hopLimits: ends with [\"more\", hops]") }
    self.init(steps: steps, beyond: beyond)
  }
}

extension Radio {
  fileprivate init(json: JSONValue) throws(ScenarioError) {
    var fields = try Fields(json, "radios")
    enum Kind: String, CaseIterable { case ble, wifi }
    let kind: Kind = try fields.choice("kind") ?? .ble
    self = kind == .ble ? .bluetooth : .wiFi
    range = try fields.number("range", in: 0.1...1_000_000) ?? range
    maximumLinks = try fields.count("links", in: 1...1_000) ?? maximumLinks
    bytesPerSecond = try fields.count("bytesPerSecond", in: 1...1_000_000_000) ?? bytesPerSecond
    if let ms = try fields.range("latencyMs") {
      latency = .fromSeconds(ms.lowerBound / 1_000)...(.fromSeconds(ms.upperBound / 1_000))
    }
    chunkSize = try fields.count("chunk", in: 20...65_536) ?? chunkSize
    if let loss = try fields.number("loss", in: 0...1) { chunkLossPPM = Int(loss * 1_000_000) }
    queueBytes = try fields.count("queueBytes", in: 1...100_000_000) ?? queueBytes
    if let seconds = try fields.range("setUp") {
      setUp = .fromSeconds(seconds.lowerBound)...(.fromSeconds(seconds.upperBound))
    }
    try fields.end()
  }
}
