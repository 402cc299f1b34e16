internal import CommandLine
internal import EchoNLMS
internal import Glibc
internal import Sound

extension CallAudio {
  /// `cancel`: files in, file and figures out.
  func cancel() throws {
    let backend = arguments[Self.backend, default: .nlms]
    let out = try arguments.required(Self.out)
    let (far, microphone) = (
      try arguments.required(Self.far), try arguments.required(Self.microphone)
    )
    for written in [out, arguments[Self.plot]].compactMap({ $0 }) {
      try refuseSameFile([far, written])
      try refuseSameFile([microphone, written])
    }
    try refuseSameFile([out, arguments[Self.plot]])
    let (farFile, microphoneFile) = (try open(far), try open(microphone))
    let writer = try naming(out) { () throws(SoundError) in
      try WAVWriter(path: out, sampleRate: EchoFormat.sampleRate)
    }
    let canceller = backend.makeCanceller(withSuppressor: !arguments[Self.noSuppressor])
    let run = CancelRun(canceller: canceller)
    var report = CancelReport(backend: backend, addedDelay: canceller.addedDelay)
    var frame = run.emptyFrame()
    while try fill(&frame, farFile, microphoneFile) {
      if let second = run.process(&frame) {
        report.add(second)
        try show(report)
      }
      try write(run.cleaned(frame), to: writer, named: out)
    }
    // What is still in the canceller comes out with silence behind it.
    while run.owed > 0 {
      frame.clear()
      _ = run.process(&frame)
      try write(run.cleaned(frame), to: writer, named: out)
    }
    try naming(out) { () throws(SoundError) in try writer.finish() }
    report.finish(run)
    try showSummary(report)
    if let path = arguments[Self.plot] { try report.plot(to: path) }
  }

  private func open(_ path: String) throws(Failure) -> MonoFile {
    try naming(path) { () throws(SoundError) in
      try MonoFile(path: path, sampleRate: EchoFormat.sampleRate)
    }
  }

  /// Reads the next frame of both files; false when the microphone's has ended.
  ///
  /// A far end that is shorter is silent from there on.
  private func fill(
    _ frame: inout CancelRun.Frame, _ far: MonoFile, _ microphone: MonoFile
  ) throws(Failure) -> Bool {
    frame.clear()
    do throws(SoundError) {
      var samples = frame.microphone.mutableSpan
      frame.count = try microphone.read(into: &samples)
    } catch {
      throw Failure("\(quoted(try path(Self.microphone))): \(error.reason)")
    }
    do throws(SoundError) {
      var samples = frame.far.mutableSpan
      _ = try far.read(into: &samples)
    } catch {
      throw Failure("\(quoted(try path(Self.far))): \(error.reason)")
    }
    return frame.count > 0
  }

  private func path(_ option: Option<String>) throws(Failure) -> String {
    do throws(UsageError) { return try arguments.required(option) } catch {
      throw Failure.usage(error.message)
    }
  }

  private func write(
    _ range: Range<Int>, of frame: CancelRun.Frame, to writer: WAVWriter, named path: String
  ) throws(Failure) {
    try naming(path) { () throws(SoundError) in
      try writer.write(frame.output.span.extracting(range))
    }
  }

  private func write(
    _ part: (frame: CancelRun.Frame, range: Range<Int>), to writer: WAVWriter, named path: String
  ) throws(Failure) {
    try write(part.range, of: part.frame, to: writer, named: path)
  }

  private func show(_ report: CancelReport) throws {
    guard let second = report.seconds.last else { return }
    if arguments[Common.json] {
      try console.print(second.object(number: report.seconds.count))
    } else {
      try console.print(second.line(number: report.seconds.count))
    }
  }

  private func showSummary(_ report: CancelReport) throws {
    if arguments[Common.json] {
      try console.print(report.object)
    } else {
      try console.print(report.line)
    }
  }
}
