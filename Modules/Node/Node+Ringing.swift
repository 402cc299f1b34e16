internal import CallSignal
internal import Chat
internal import CommandLine
internal import Mesh
internal import Terminal
internal import Wire

extension Node {
  /// Rings on the desktop for as long as a call does.
  func ringOnDesktop(_ report: CallReport) {
    guard report.state == .ringing, !answersCalls else { return ringer?.stop() ?? () }
    let person = mesh.everyone.first { $0.keys == report.party.keys }
    let number = "\(report.party.fingerprint.number)"
    let name = DisplayText(name: person?.name ?? "").description
    ringer?.ring(
      report.nonce, summary: "\(name.isEmpty ? number : name) is calling",
      body: "\(number), \(person?.isVerified == true ? "verified" : "unverified")")
  }

  /// Begins to hear what is chosen there.
  func listenToDesktop() {
    ringer?.chosen = { [weak self] nonce, answers in
      guard let self, !isStopped else { return }
      // Another call may be the one by now, or none: then nothing is meant.
      if answers {
        try? mesh.answerCall(nonce, at: clock.moment)
      } else {
        try? mesh.declineCall(nonce, at: clock.moment)
      }
      carryOut()
    }
    ringer?.trouble = { [weak self] in self?.log(.info, "\(DisplayText($0))") }
  }
}
