/// What the mesh counts beside the router's own.
struct MeshCounters: Sendable {
  var opened = 0
  /// Did not open for us, or not its sender's.
  var unopenable = 0
  /// Shed because its link's queue was full, or waiting when the link went down.
  var unopened = 0
  var fromBlocked = 0
  var fromContradicting = 0
  /// Our own sealed bytes played back to us.
  var fromOurselves = 0
  var repeated = 0
  var tooOldToTell = 0
  var receiptsSent = 0
  var strangeReceipts = 0
  var hellosHeard = 0
  var badHellos = 0
  var callSignals = 0
  var callSignalsSent = 0
  var voiceFrames = 0
  /// Relays for which every neighbour turned out to have the packet.
  var relaysSpared = 0
}

extension MeshCounters {
  var list: [(name: String, value: Int)] {
    [
      ("opened", opened), ("unopenable", unopenable), ("unopened", unopened),
      ("from-blocked", fromBlocked), ("from-contradicting", fromContradicting),
      ("from-ourselves", fromOurselves), ("repeated", repeated),
      ("too-old-to-tell", tooOldToTell), ("receipts-sent", receiptsSent),
      ("strange-receipts", strangeReceipts), ("hellos-heard", hellosHeard),
      ("bad-hellos", badHellos), ("call-signals", callSignals),
      ("call-signals-sent", callSignalsSent),
      ("voice-frames", voiceFrames), ("relays-spared", relaysSpared),
    ]
  }
}
