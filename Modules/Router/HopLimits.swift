/// How far a message may go, by the number of devices in direct range where it starts (PROTOCOL,
/// section 3).
///
/// In a thin chain depth is what reaches the recipient; in a crowd extra hops only multiply copies.
public struct HopLimits: Hashable, Sendable {
  /// One line of the table.
  public struct Step: Hashable, Sendable {
    /// Up to so many devices in direct range.
    public var devices: Int
    public var hopLimit: UInt8

    public init(devices: Int, hopLimit: UInt8) {
      self.devices = devices
      self.hopLimit = hopLimit
    }
  }

  /// By rising number of devices.
  public var steps: [Step]
  /// Past the last step.
  public var beyond: UInt8

  public init(steps: [Step], beyond: UInt8) {
    self.steps = steps
    self.beyond = beyond
  }

  public static let standard = HopLimits(
    steps: [
      Step(devices: 5, hopLimit: 7), Step(devices: 10, hopLimit: 5), Step(devices: 20, hopLimit: 4),
    ], beyond: 3)

  /// The hop limit of a message that starts with this many devices in direct range.
  public func hopLimit(directDevices: Int) -> UInt8 {
    steps.first { directDevices <= $0.devices }?.hopLimit ?? beyond
  }
}
