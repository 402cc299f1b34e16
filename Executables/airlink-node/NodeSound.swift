internal import CommandLine
internal import Glibc
internal import Node
internal import SoundProcess

/// The sound of calls as the command line asks for it.
@MainActor
enum NodeSound {
  /// What carries the sound of calls; nil where they are to be silent.
  ///
  /// What the user named is tried now: a file that is none, or a device that is not there, is to be
  /// told before anybody calls.
  ///
  /// - Throws: a `Failure`.
  static func make(
    _ arguments: Arguments, environment: [String: String]
  ) throws -> (any CallSound)? {
    let device = arguments[NodeOptions.audio]
    let files = (arguments[NodeOptions.audioIn], arguments[NodeOptions.audioOut])
    if files.0 != nil || files.1 != nil, let device {
      throw Failure.usage(
        "--audio \(quoted(device)) goes with no --audio-in and --audio-out",
        hints: "give the files, or the device")
    }
    guard device != "off", !arguments[NodeOptions.echoService] else { return nil }
    let isNamed = device != nil && device != "auto" || files.0 != nil || files.1 != nil
    guard let path = SoundProgram.find(searching: environment["PATH"]) else {
      guard isNamed else { return Missing() }
      throw Failure(
        "there is no \(SoundProgram.name), which carries the sound of calls",
        hints: "put it beside airlink-node, or in a folder of PATH")
    }
    var program = SoundProgram(path: path)
    program.device = device
    (program.input, program.output) = files
    program.echo = arguments[NodeOptions.echo]?.rawValue
    if let input = files.0 { try checkInput(input) }
    if let output = files.1 { try checkOutput(output, input: files.0) }
    // With an output alone there is nothing to be tried that would not be written to.
    if device.map({ $0 != "auto" }) ?? (files.0 != nil) {
      try check(program, environment: environment)
    }
    return SoundProcess(program, environment: environment)
  }

  /// Starts the program and ends it at once: it says what is wrong with files and devices.
  ///
  /// Without the file that it would write into: what lies there stays until a call begins.
  private static func check(_ program: SoundProgram, environment: [String: String]) throws {
    var program = program
    program.output = nil
    guard let complaint = SoundProcess.complaint(of: program, environment: environment) else {
      return
    }
    // In the sound program's words, which begin with its name.
    let words = DisplayText(complaint.text).description
    throw Failure(words, code: complaint.isUsage ? .usage : .failed)
  }

  /// Each call begins with the file anew, and opening a pipe waits for whoever writes into it.
  private static func checkInput(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
    throw Failure("\(quoted(path)) is a pipe, which no second call could begin with")
  }

  private static func checkOutput(_ path: String, input: String?) throws {
    var (there, other) = (stat(), stat())
    guard stat(path, &there) == 0 else {
      // Made here, and taken away again, to see whether it can be.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw Failure("cannot write \(quoted(path)): \(systemMessage(errno))")
      }
      close(descriptor)
      unlink(path)
      return
    }
    if let input, stat(input, &other) == 0, other.st_dev == there.st_dev,
      other.st_ino == there.st_ino
    {
      throw Failure.usage("--audio-in and --audio-out are the same file, \(quoted(path))")
    }
    guard there.st_mode & S_IFMT != S_IFDIR else {
      throw Failure("cannot write \(quoted(path)): \(systemMessage(EISDIR))")
    }
    guard access(path, W_OK) == 0 else {
      throw Failure("cannot write \(quoted(path)): \(systemMessage(errno))")
    }
    guard there.st_mode & S_IFMT != S_IFREG || there.st_size == 0 || isSound(path) else {
      throw Failure(
        "\(quoted(path)) is there already, and is no WAV file", hints: "name another file")
    }
  }

  /// Whether a file begins as WAV files do; airlink-callaudio looks again before it writes.
  private static func isSound(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start: [UInt8] = [0, 0, 0, 0]
    return read(descriptor, &start, start.count) == start.count && start == Array("RIFF".utf8)
  }
}

/// Calls where the program for their sound is not installed: each is told so.
@MainActor
private final class Missing: CallSound {
  var told: (SoundNews) -> Void = { _ in }
  func begin() { told(.gone(because: "\(SoundProgram.name) is not installed")) }
  func play(sequence: UInt32, opus: [UInt8]) {}
  func mute(_ isMuted: Bool) {}
  func end() {}
  func shutDown() {}
  var statistics: [(name: String, value: Int)] { [] }
}
