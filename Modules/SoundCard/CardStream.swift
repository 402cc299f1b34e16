internal import CALSA
internal import Glibc

/// A PCM of libasound, one way, one channel of 16 bits.
///
/// Used by one thread at a time. Every call may wait for a sound server that has stalled, so that
/// thread is one of its own.
final class CardStream {
  static let wantedRate = 24_000
  /// 10 ms, and room for 60 on the way out: what a loaded machine needs.
  ///
  /// On the way in room costs no time, and with too little of it libasound's plug-in for PulseAudio
  /// loses sound without a word once the server gives more than fits.
  static let periodsPerSecond = 100
  static func bufferPeriods(_ direction: CardDirection) -> Int { direction == .capture ? 50 : 6 }

  let device: String
  let direction: CardDirection
  /// Hz that were granted.
  private(set) var rate = wantedRate
  /// Samples in the card's buffer, and those after which it says that it has room.
  private(set) var buffer = 0
  private(set) var period = 0
  private let pcm: OpaquePointer

  /// Opens a device by its name; where it takes no single channel of 16 bits, through `plug`.
  init(_ device: String, _ direction: CardDirection) throws(CardError) {
    airlink_alsa_be_quiet()
    self.device = device
    self.direction = direction
    // A name with a quotation mark would end that of the plug's slave; there is none such.
    let names = device.contains("'") ? [device] : [device, "plug:'\(device)'"]
    var failure = CardError(device, direction, code: -ENOENT)
    for name in names {
      var opened: OpaquePointer?
      let way = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
      let code = snd_pcm_open(&opened, name, way, CInt(SND_PCM_NONBLOCK))
      guard code >= 0, let opened else {
        failure = CardError(device, direction, code: code)
        break
      }
      do throws(CardError) {
        let granted = try Self.setUp(opened, device, direction)
        (rate, buffer, period) = granted
        pcm = opened
        return
      } catch {
        snd_pcm_close(opened)
        failure = error
      }
    }
    throw failure
  }

  deinit {
    snd_pcm_drop(pcm)
    snd_pcm_close(pcm)
  }

  private static func setUp(
    _ pcm: OpaquePointer, _ device: String, _ direction: CardDirection
  ) throws(CardError) -> (rate: Int, buffer: Int, period: Int) {
    func check(_ code: CInt) throws(CardError) {
      guard code >= 0 else { throw CardError(device, direction, code: code) }
    }
    var hardware: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&hardware))
    defer { snd_pcm_hw_params_free(hardware) }
    try check(snd_pcm_hw_params_any(pcm, hardware))
    // What libasound itself would resample is the card's own rate; speexdsp does it better.
    try check(snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0))
    try check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED))
    try check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16))
    try check(snd_pcm_hw_params_set_channels(pcm, hardware, 1))
    var rate = UInt32(wantedRate)
    try check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil))
    // Within what the resampler takes, whatever a plug-in claims.
    guard (4_000...384_000).contains(rate) else {
      throw CardError(device, direction, code: -EINVAL)
    }
    var period = snd_pcm_uframes_t(rate) / snd_pcm_uframes_t(periodsPerSecond)
    try check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil))
    var buffer =
      snd_pcm_uframes_t(rate) * snd_pcm_uframes_t(bufferPeriods(direction))
      / snd_pcm_uframes_t(periodsPerSecond)
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer))
    try check(snd_pcm_hw_params(pcm, hardware))
    guard period > 0, buffer >= period, buffer <= 1 << 20 else {
      throw CardError(device, direction, code: -EINVAL)
    }
    var software: OpaquePointer?
    try check(snd_pcm_sw_params_malloc(&software))
    defer { snd_pcm_sw_params_free(software) }
    try check(snd_pcm_sw_params_current(pcm, software))
    try check(snd_pcm_sw_params_set_avail_min(pcm, software, period))
    // Playing begins when half the buffer waits; recording is started by hand.
    try check(snd_pcm_sw_params_set_start_threshold(pcm, software, max(period, buffer / 2)))
    try check(snd_pcm_sw_params(pcm, software))
    return (Int(rate), Int(buffer), Int(period))
  }

  /// Begins to record; playing begins by itself.
  func start() throws(CardError) {
    if direction == .capture { try check(snd_pcm_start(pcm)) }
  }

  /// Waits until there is a period of room or of sound, for so long at the most.
  ///
  /// Errors are those of the call that follows.
  func wait(milliseconds: CInt) { snd_pcm_wait(pcm, milliseconds) }

  /// Samples that can be written or read now.
  ///
  /// - Returns: nil after an underrun, which is mended.
  func available() throws(CardError) -> Int? {
    let count = snd_pcm_avail_update(pcm)
    guard count < 0 else { return Int(count) }
    try mend(CInt(count))
    return nil
  }

  /// Writes samples; returns how many, nil after an underrun, which is mended.
  func write(_ samples: Span<Int16>) throws(CardError) -> Int? {
    let count = samples.withUnsafeBufferPointer { buffer in
      snd_pcm_writei(pcm, buffer.baseAddress, snd_pcm_uframes_t(buffer.count))
    }
    return try done(count)
  }

  /// Reads samples; returns how many, nil after an overrun, which is mended.
  func read(into samples: inout MutableSpan<Int16>) throws(CardError) -> Int? {
    let count = samples.withUnsafeMutableBufferPointer { buffer in
      snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(buffer.count))
    }
    return try done(count)
  }

  private func done(_ count: snd_pcm_sframes_t) throws(CardError) -> Int? {
    if count >= 0 { return Int(count) }
    if count == -snd_pcm_sframes_t(EAGAIN) || count == -snd_pcm_sframes_t(EINTR) { return 0 }
    try mend(CInt(count))
    return nil
  }

  /// How many samples wait between here and the loudspeaker, or the microphone and here; nil while
  /// nobody knows.
  var delay: Int? {
    var delay: snd_pcm_sframes_t = 0
    guard snd_pcm_delay(pcm, &delay) == 0 else { return nil }
    return max(0, min(Int(delay), 10 * rate))
  }

  /// Brings the stream back after an underrun (EPIPE) or a suspension (ESTRPIPE).
  private func mend(_ code: CInt) throws(CardError) {
    if code == -EINTR || code == -EAGAIN { return }
    if code == -ESTRPIPE {
      var resumed = snd_pcm_resume(pcm)
      for _ in 0..<Self.resumeAttempts where resumed == -EAGAIN {
        usleep(Self.resumePause)
        resumed = snd_pcm_resume(pcm)
      }
      if resumed == 0 { return }
    } else {
      guard code == -EPIPE else { throw CardError(device, direction, code: code) }
    }
    try check(snd_pcm_prepare(pcm))
    try start()
  }

  private static let resumeAttempts = 100
  private static let resumePause: UInt32 = 10_000

  private func check(_ code: CInt) throws(CardError) {
    guard code >= 0 else { throw CardError(device, direction, code: code) }
  }
}
