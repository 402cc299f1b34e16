internal import AudioPipe
internal import CommandLine
internal import EchoNLMS
internal import EventLoop
internal import Glibc

/// Who takes the echo out of a call.
enum EchoChoice: String, CaseIterable, Sendable {
  /// The system where it does, else `nlms`; nobody where files take the place of a sound card.
  case auto
  case system, nlms, speex, off
}

extension CallAudio {
  /// `call`: the sound of one call, for airlink-node; ends the process unless it throws.
  @MainActor func call() throws {
    // An interrupt from the terminal is airlink-node's affair; it says when the call is over.
    signal(SIGINT, SIG_IGN)
    let descriptor = try arguments.required(Self.descriptor)
    let call = try makeCall(orRefuse: descriptor)
    EventLoop.main.run {
      do { try call.start(pipe: descriptor) } catch { exit(console.report(error).rawValue) }
    }
  }

  /// Made apart from its use: the optimiser fails on a constant that is set within `do` and captured
  /// behind it (Swift 6.3.1).
  @MainActor private func makeCall(orRefuse descriptor: Int32) throws -> LiveCall {
    do {
      return try makeCall()
    } catch {
      LiveCall.refuse(descriptor, error)
      throw error
    }
  }

  @MainActor private func makeCall() throws -> LiveCall {
    let (input, output) = (arguments[Self.audioIn], arguments[Self.audioOut])
    try refuseSameFile([input, output])
    let choice = arguments[Self.echo, default: .auto]
    let port: any CallPort
    let echo: AudioReady.Echo
    if input != nil || output != nil {
      port = try FilePort(input: input, output: output)
      echo = choice.resolved(auto: .off)
    } else {
      let device = arguments[Self.audio, default: "auto"]
      if device == "off" {
        port = try FilePort(input: nil, output: nil)
        echo = choice.resolved(auto: .off)
      } else {
        let name = device == "auto" ? "default" : device
        port = CardPort(device: name)
        let systemCancels = choice == .auto && SystemEcho.cancels(device: name)
        echo = choice.resolved(auto: systemCancels ? .system : .nlms)
      }
    }
    let engine = try CallEngine(canceller: echo.makeCanceller())
    return LiveCall(engine: engine, port: port, echo: echo) { exit($0.rawValue) }
  }
}

extension EchoChoice {
  func resolved(auto: AudioReady.Echo) -> AudioReady.Echo {
    switch self {
    case .auto: auto
    case .system: .system
    case .nlms: .nlms
    case .speex: .speex
    case .off: .off
    }
  }
}

extension AudioReady.Echo {
  func makeCanceller() -> (any EchoCanceller)? {
    switch self {
    case .off, .system: nil
    case .nlms: EchoBackend.nlms.makeCanceller()
    case .speex: EchoBackend.speex.makeCanceller()
    }
  }
}
