internal import CommandLine
internal import Sound
internal import VoiceCodec

extension CallAudio {
  /// `encode`: a WAV file into an Ogg Opus file (RFC 7845), coded as calls are.
  func encode() throws {
    let (input, output) = (
      try arguments.required(Self.input), try arguments.required(Self.output)
    )
    try refuseSameFile([input, output])
    let file = try openSound(input)
    let writer = try naming(output) { () throws(SoundError) in
      try OggWriter(path: output, serial: .random(in: .min ... .max))
    }
    var encoder = try VoiceEncoder()
    // Positions count samples of 48 kHz, whatever was coded.
    let perSample = 48_000 / VoiceFormat.sampleRateHz
    let preSkip = encoder.lookahead * perSample
    let head = OpusHead(preSkip: preSkip, sampleRate: UInt32(file.format.sampleRate))
    let tags = OpusHead.tags(vendor: opusVersion, encoder: "airlink-callaudio \(airLinkVersion)")
    try naming(output) { () throws(SoundError) in
      try writer.write(head.bytes, granule: 0, endsPage: true)
      try writer.write(tags, granule: 0, endsPage: true)
    }
    var samples = 0
    var coded = 0
    var frame = [Float](repeating: 0, count: VoiceFormat.frameLength)
    var isAtEnd = false
    while true {
      var count = 0
      if !isAtEnd {
        count = try naming(input) { () throws(SoundError) in
          var room = frame.mutableSpan
          return try file.read(into: &room)
        }
        isAtEnd = count < frame.count
      }
      for place in count..<frame.count { frame[place] = 0 }
      samples += count
      coded += frame.count
      let packet = try encoder.encode(frame.map(Sample.int16))
      let isLast = isAtEnd && coded >= samples + encoder.lookahead
      let end = isLast ? samples * perSample + preSkip : coded * perSample
      try naming(output) { () throws(SoundError) in
        try writer.write(packet, granule: Int64(end), isLast: isLast)
      }
      if isLast { break }
    }
    try naming(output) { () throws(SoundError) in try writer.finish() }
  }

  /// `decode`: an Ogg Opus file into a WAV file.
  func decode() throws {
    let (input, output) = (
      try arguments.required(Self.input), try arguments.required(Self.output)
    )
    try refuseSameFile([input, output])
    let reader = try naming(input) { () throws(SoundError) in try OggReader(path: input) }
    let head = try readHeads(reader, input)
    let writer = try naming(output) { () throws(SoundError) in
      try WAVWriter(path: output, sampleRate: VoiceFormat.sampleRateHz)
    }
    var decoder = try OpusStreamDecoder(gain: head.gain)
    let perSample = 48_000 / VoiceFormat.sampleRateHz
    var skip = head.preSkip / perSample
    var written = 0
    var isWhole = false
    while let packet = try naming(input, { () throws(SoundError) in try reader.next() }) {
      var sound = decoder.decode(packet.bytes).map(Sample.float)
      let left = min(skip, sound.count)
      sound.removeFirst(left)
      skip -= left
      if packet.isLast {
        isWhole = true
        if let granule = packet.granule {
          // The last position says how much of the last packet counts.
          let total = max(0, granule - Int64(head.preSkip)) / Int64(perSample)
          sound = Array(sound.prefix(max(0, Int(clamping: total) - written)))
        }
      }
      written += sound.count
      let part = sound
      try naming(output) { () throws(SoundError) in try writer.write(part.span) }
      if packet.isLast { break }
    }
    try naming(output) { () throws(SoundError) in try writer.finish() }
    if !isWhole { console.warning("\(quoted(input)) is cut short; what was there is in the file") }
    let flaws = reader.gaps + decoder.refused
    if flaws > 0 {
      console.warning("\(quoted(input)) is damaged at \(flaws) places, which were filled in")
    }
  }

  private func readHeads(_ reader: OggReader, _ input: String) throws(Failure) -> OpusHead {
    let first = try naming(input) { () throws(SoundError) in try reader.next() }
    guard let first else { throw Failure("\(quoted(input)): is no Ogg file") }
    guard first.bytes.starts(with: OpusHead.name) else {
      throw Failure("\(quoted(input)): holds no Opus")
    }
    guard let head = OpusHead(first.bytes) else {
      throw Failure("\(quoted(input)): has over two channels, or a head that is not understood")
    }
    let tags = try naming(input) { () throws(SoundError) in try reader.next() }
    guard let tags, tags.bytes.starts(with: OpusHead.tagsName) else {
      throw Failure("\(quoted(input)): ends before its sound")
    }
    return head
  }
}
