internal import CommandLine
internal import SoundCard

extension CallAudio {
  /// `devices`: what `--audio` can name.
  func devices() throws {
    let devices = CardDevice.all()
    for device in devices {
      if arguments[Common.json] {
        try console.print([
          "event": "device", "name": .string(device.name),
          "description": .string(device.description), "capture": .bool(device.canCapture),
          "playback": .bool(device.canPlay),
        ])
      } else {
        let ways =
          switch (device.canCapture, device.canPlay) {
          case (true, false): "microphone"
          case (false, true): "loudspeaker"
          default: "both"
          }
        let name = DisplayText(device.name).description
        let words = DisplayText(device.description).description
        try console.print("\(name)  [\(ways)]  \(words)")
      }
    }
    if devices.isEmpty { console.note("libasound knows of no sound device") }
  }
}
