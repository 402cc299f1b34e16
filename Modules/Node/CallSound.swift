public import SoundProcess

/// The sound of calls, as the node uses it: what is said goes out of it coded, what is heard in.
@MainActor
public protocol CallSound: AnyObject {
  /// Who is told what comes of it.
  var told: (SoundNews) -> Void { get set }
  /// The sound of a call begins; what there was of another ends first.
  func begin()
  /// Plays a frame of the other side's, numbered in the order in which they were spoken.
  func play(sequence: UInt32, opus: [UInt8])
  func mute(_ isMuted: Bool)
  func end()
  /// Ends it for good, and waits for that: the node is ending.
  func shutDown()
  /// Counters, by name.
  var statistics: [(name: String, value: Int)] { get }
}

extension SoundProcess: CallSound {}
