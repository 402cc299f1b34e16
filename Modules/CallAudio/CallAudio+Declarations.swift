public import CommandLine
internal import EchoNLMS
internal import SoundCard
internal import VoiceCodec

extension CallAudio {
  /// Everything the program takes.
  public static let command = Command(
    "airlink-callaudio",
    summary: "The sound of AirLink calls",
    discussion: "airlink-node starts it for each call. By hand it does with files what it does in "
      + "a call.",
    parameters: [Common.json, Common.color],
    subcommands: [
      callCommand, cancelCommand, decodeCommand, devicesCommand, encodeCommand, loopbackCommand,
      simulateCommand,
    ],
    examples: [
      Command.Example(
        "airlink-callaudio cancel --far far.wav --mic mic.wav --out out.wav",
        "takes the far end's echo out of a recording"),
      Command.Example(
        "airlink-callaudio simulate --loss 10 --jitter 50 in.wav out.wav",
        "lets you hear what a call over a bad road sounds like"),
    ])

  /// What `--version` names beside the program.
  static let libraries = [
    Library("libasound", CardDevice.libraryVersion), Library("libogg", "1.3"),
    Library("libopus", opusVersion.split(separator: " ").last.map(String.init) ?? "unknown"),
    Library("libspeexdsp", "1.2"),
  ]

  static let descriptor = Option(
    "fd", .integer("N", in: 3...65_535 as ClosedRange<Int32>), .required,
    help: "The descriptor of the socket to airlink-node.")
  static let audio = Option(
    "audio", .text("auto|off|DEVICE"),
    help: "Which sound device, by libasound's name for it; auto: 'default'.")
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
    parameters: [descriptor, audio, audioIn, audioOut, echo],
    exclusive: [[audio, audioIn], [audio, audioOut]])

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

  static let device = Option(
    "device", .text("DEVICE"), help: "Which sound device; else libasound's 'default'.")
  static let seconds = Option(
    "seconds", .integer("N", in: 1...86_400), help: "For how long; else 10.")
  static let loss = Option(
    "loss", .number("PERCENT", in: 0...100), help: "Of a hundred frames, how many are lost.")
  static let jitter = Option(
    "jitter", .number("MS", in: 0...2_000),
    help: "By up to how many milliseconds a frame is held up.")
  static let seed = Option(
    "seed", .integer("N", in: 0...UInt64.max), help: "Another seed loses other frames; else 1.")
  static let input = Operand(.file(), named: "IN", help: "The file that is read.")
  static let output = Operand(.file(), named: "OUT", help: "The file that is written.")

  private static let devicesCommand = Command(
    "devices", summary: "Lists the sound devices that there are",
    discussion: "By the names that --audio takes.")
  private static let loopbackCommand = Command(
    "loopback", summary: "Plays what the microphone hears",
    discussion: "With the level and the delay, once a second. Use headphones.",
    parameters: [device, seconds])
  private static let encodeCommand = Command(
    "encode", summary: "Makes an Ogg Opus file of a WAV file, coded as in a call",
    parameters: [input, output])
  private static let decodeCommand = Command(
    "decode", summary: "Makes a WAV file of an Ogg Opus file", parameters: [input, output])
  private static let simulateCommand = Command(
    "simulate", summary: "Makes a file sound as after a call over a bad road",
    discussion: "Uses the very encoder, playout buffer and decoder of calls. Prints what was lost, "
      + "brought back and filled in, and how long frames waited.",
    parameters: [loss, jitter, seed, input, output])
}
