/// AirLink's canceller: the owner's 4,096-tap NLMS at step 0.5, in the frequency domain, aligned with
/// the echo's delay, doubled, and with a suppressor behind it.
///
/// `docs/ECHO.md` says what each part is for and what it brings.
public final class NLMSCanceller: EchoCanceller {
  public let addedDelay: Int
  public private(set) var state = EchoState()

  private let fourier = Fourier(length: Block.transform)
  private let clock = FarClock()
  private let drift = DriftFinder()
  private let far = FarSpectra()
  private let pair = FilterPair()
  private let finder = DelayFinder()
  private let suppressor: Suppressor?
  private var conduct = Conduct()
  private var watch = ModelWatch()
  private let farFrame = Samples(EchoFormat.frameSamples)
  private let nearFrame = Samples(EchoFormat.frameSamples)
  private let output = Samples(EchoFormat.frameSamples)
  private let farBlock = Samples(Block.size)
  private let time = Samples(Block.transform)
  private let nearReal = Samples(Block.stride)
  private let nearImaginary = Samples(Block.stride)
  private let echo = Samples(Block.size)
  /// The block before, which is what comes out of a canceller that is off.
  private let waiting = Samples(Block.size)
  /// Blocks since the far end was audible.
  private var silence = Block.history

  public init(withSuppressor: Bool = true) {
    suppressor = withSuppressor ? Suppressor() : nil
    addedDelay = withSuppressor ? Block.size : 0
  }

  public func reset() {
    state = EchoState()
    clock.forget()
    drift.forget()
    far.clear()
    pair.forget()
    finder.forget()
    suppressor?.forget()
    conduct = Conduct()
    watch = ModelWatch()
    waiting.clear()
    silence = Block.history
  }

  public func cancel(
    farEnd: Span<Float>, microphone: Span<Float>, output result: inout MutableSpan<Float>
  ) {
    let frame = EchoFormat.frameSamples
    guard farEnd.count == frame, microphone.count == frame, result.count == frame else {
      return pass(microphone, &result)
    }
    farFrame.take(farEnd)
    nearFrame.take(microphone)
    for block in 0..<(frame / Block.size) {
      let place = block * Block.size
      process(farFrame.base + place, nearFrame.base + place, output.base + place)
    }
    for place in 0..<frame { result[place] = output.base[place] }
  }

  private func process(
    _ farBlock: UnsafePointer<Float>, _ near: UnsafePointer<Float>,
    _ result: UnsafeMutablePointer<Float>
  ) {
    guard !state.isOff else { return passLate(near, result) }
    push(farBlock)
    let farEnergy = Kernel.energy(farBlock, Block.size)
    let isAudible = farEnergy > Conduct.audible * Float(Block.size)
    silence = isAudible ? 0 : min(silence + 1, Block.history)
    if isAudible { find(near) }
    pair.cancel(far, near, fourier)
    finish(near, result)
    // The echo of what was audible goes on for as long as the filter is.
    if silence < pair.base + Block.partitions {
      pair.learn(far, fourier)
      if isAudible { followDrift() }
      judge(near)
    }
    pair.exchange()
    waiting.base.update(from: near, count: Block.size)
  }

  /// Takes the far end in, at the microphone's pace.
  private func push(_ block: UnsafePointer<Float>) {
    let turn = clock.take(
      block, canMoveEarlier: pair.base > 0, canMoveLater: pair.base < Block.mostDelay)
    switch turn {
    case .one: push()
    case .none: renumber(by: -1)
    case .two:
      push(isFirstOfTwo: true)
      push()
      renumber(by: 1)
    }
  }

  private func push(isFirstOfTwo: Bool = false) {
    clock.make(farBlock.base, isFirstOfTwo: isFirstOfTwo)
    far.push(farBlock.base, fourier)
  }

  private func renumber(by shift: Int) {
    pair.renumber(by: shift)
    finder.renumber(by: shift)
  }

  private func followDrift() {
    if let more = drift.note(pair.quick, fourier) { clock.correct(by: more) }
    if clock.rate != 0 || drift.looks >= 8 { state.drift = Float(clock.rate * 1e6) }
  }

  private func find(_ near: UnsafePointer<Float>) {
    (time.base + Block.size).update(from: near, count: Block.size)
    fourier.transform(time.base, nearReal.base, nearImaginary.base)
    finder.note(
      far,
      FarSpectra.Spectrum(
        real: nearReal.base, imaginary: nearImaginary.base, power: nearReal.base), fourier)
    guard let delay = finder.delay else { return }
    let late = delay + Int(clock.lateness.rounded())
    align(to: late)
    state.delay = late
  }

  /// The filter begins a little before the echo, which came `delay` samples late.
  private func align(to delay: Int) {
    let wanted = max(0, delay - FilterPair.lead)
    let now = pair.base * Block.size + Int(clock.lateness.rounded())
    let isFirst = state.delay == nil
    guard isFirst || abs(wanted - now) > FilterPair.worthMoving else { return }
    var base = min(wanted / Block.size, Block.mostDelay)
    var late = min(wanted - base * Block.size, Block.size)
    if clock.rate != 0, late < FarClock.reach {
      late = base > 0 ? late + Block.size : FarClock.reach
      base = max(0, base - 1)
    }
    let before = Int(clock.lateness.rounded())
    clock.set(lateness: late, far, farBlock, fourier)
    pair.move(
      bySamples: base * Block.size + late - now, to: base, isAnother: !isFirst && watch.isLost,
      fourier)
    finder.move(by: late - before)
    drift.lookAway()
  }

  private func finish(_ near: UnsafePointer<Float>, _ result: UnsafeMutablePointer<Float>) {
    guard let suppressor else {
      result.update(from: pair.error.base, count: Block.size)
      return
    }
    for place in 0..<Block.size { echo.base[place] = near[place] - pair.error.base[place] }
    suppressor.process(
      residual: pair.error.base, echo: echo.base, expected: pair.expected,
      isFarAudible: silence < pair.base + Block.partitions, fourier, output: result)
  }

  private func judge(_ near: UnsafePointer<Float>) {
    let input = Kernel.energy(near, Block.size)
    let left = Kernel.energy(pair.error.base, Block.size)
    if watch.note(input: input, left: left) { finder.doubt() }
    guard conduct.note(input: input, output: left) else { return }
    pair.forget()
    finder.forget()
    drift.lookAway()
    state.delay = nil
    state.resets = conduct.resets
    state.isOff = conduct.isOff
  }

  /// The microphone as it is, as late as with everything.
  private func passLate(_ near: UnsafePointer<Float>, _ result: UnsafeMutablePointer<Float>) {
    if suppressor == nil {
      result.update(from: near, count: Block.size)
    } else {
      result.update(from: waiting.base, count: Block.size)
      waiting.base.update(from: near, count: Block.size)
    }
  }
}
