public import CommandLine
internal import EchoNLMS

extension CallAudio {
  /// Everything the program takes.
  public static let command = Command(
    "airlink-callaudio",
    summary: "The sound of AirLink calls",
    discussion: "airlink-node starts it for each call. By hand it does with files what it does in "
      + "a call.",
    parameters: [Common.json, Common.color],
    subcommands: [callCommand, cancelCommand],
    examples: [
      Command.Example(
        "airlink-callaudio cancel --far far.wav --mic mic.wav --out out.wav",
        "takes the far end's echo out of a recording")
    ])

  /// What `--version` names beside the program.
  static let libraries = [Library("libspeexdsp", "1.2")]

  static let descriptor = Option(
    "fd", .integer("N", in: 3...65_535 as ClosedRange<Int32>), .required,
    help: "The descriptor of the socket to airlink-node.")
  static let audioIn = Option(
    "audio-in", .file(), help: "What is said: a WAV file in place of a microphone.")
  static let audioOut = Option(
    "audio-out", .file(), help: "Where to write what is heard, in place of a loudspeaker.")
  static let echo = Option(
    "echo", .choice(EchoChoice.self),
    help: "Who takes the echo out; auto: the system where it does, else nlms.")

  private static let callCommand = Command(
    "call", summary: "Carries the sound of one call, for airlink-node",
    discussion: "airlink-node starts this and talks to it over a socket. It ends with the call.",
    parameters: [descriptor, audioIn, audioOut, echo])

  static let far = Option(
    "far", .file(), .required, help: "What the loudspeaker was given: a WAV file.")
  static let microphone = Option(
    "mic", .file(), .required, help: "What the microphone heard meanwhile: a WAV file.")
  static let out = Option(
    "out", .file(), .required, help: "Where to write what is left: 24 kHz, mono, 16 bits.")
  static let backend = Option("backend", .choice(EchoBackend.self), help: "Which canceller.")
  static let noSuppressor = Flag(
    "no-suppressor", help: "Leave out the residual suppressor behind the filter.")
  static let plot = Option(
    "plot", .file(), help: "Draw the figures over time into an SVG file.")

  private static let cancelCommand = Command(
    "cancel", summary: "Takes echo out of a recording",
    discussion: "Reads two WAV files of any rate and number of channels. Prints, for each second, "
      + "how much echo was removed, how late it comes and how the clocks drift; then the whole, "
      + "with resets and processor time.",
    parameters: [far, microphone, out, backend, noSuppressor, plot])
}
