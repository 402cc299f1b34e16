internal import AudioPipe
internal import Glibc

/// What is wrong with what a sound program was started with.
public struct SoundComplaint: Hashable, Sendable {
  public let text: String
  /// Whether it is the words that are wrong, and not what they name.
  public let isUsage: Bool
}

extension SoundProcess {
  /// How long a program may take to find out whether files and devices are there.
  static let checkLimit = Duration.seconds(5)

  /// Starts the program and has it end at once.
  ///
  /// - Returns: what it says is wrong; nil when nothing is, or when it takes too long to tell.
  public static func complaint(
    of program: SoundProgram, environment: [String: String]
  ) -> SoundComplaint? {
    guard let sockets = makeAudioPipe() else {
      return SoundComplaint(text: "no file descriptor is left", isUsage: false)
    }
    defer { close(sockets.node) }
    let stop = NodeMessage.stop.bytes
    send(sockets.node, stop, stop.count, CInt(MSG_NOSIGNAL))
    var end: ChildEnd?
    let child = ChildProcess(
      program.words(descriptor: ChildProcess.inherited), environment: environment,
      inheriting: sockets.audio
    ) { end = $0 }
    let why = errno
    close(sockets.audio)
    guard let child else {
      return SoundComplaint(
        text: "\(program.path) cannot be started: \(words(for: why))", isUsage: false)
    }
    child.endNow(within: checkLimit)
    guard case .exited(let code)? = end, code != 0 else { return nil }
    let text = said(on: sockets.node) ?? child.complaint
    return SoundComplaint(
      text: text.isEmpty ? "\(SoundProgram.name) ended with \(code)" : text, isUsage: code == 2)
  }

  /// The reason for its end that lies in the socket.
  private static func said(on socket: CInt) -> String? {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    for _ in 0..<NodeEnd.queueCapacity {
      let count = recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count > 0 else { return nil }
      if case .ended(true, let text)? = try? AudioMessage(bytes: Array(buffer.prefix(count))) {
        return text
      }
    }
    return nil
  }
}
