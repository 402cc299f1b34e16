/// The owner's canceller, in its plainest form: a normalised least-mean-squares filter.
///
/// 4,096 taps at 24 kHz, step 0.5, sample by sample (Haykin, "Adaptive Filter Theory", chapter on
/// normalised LMS), under the owner's rules (PROTOCOL, section 7): it learns only while the far end
/// is audible and, once it has a model, only from blocks that this model already explains. Louder
/// out than in for about a second: reset; after three resets it is off.
///
/// The reference in tests; `nlms` is the one to use.
public final class PlainNLMS: EchoCanceller {
  static let step: Float = 0.5
  /// Mean square below which the far end counts as silent: -60 dB of full scale.
  static let audible: Float = 1e-6
  /// A block is explained when the model takes half of its energy away.
  static let explained: Float = 0.5
  /// There is a model once it took 6 dB away in this many blocks in a row.
  static let modelBlocks = 10
  static let modelRatio: Float = 0.25
  /// Blocks of 20 ms, one after the other, in which the output is louder: about a second.
  static let louderBlocks = 50
  static let maximumResets = 3
  /// Added to the energy under the filter, which keeps the step finite.
  static let regularisation: Float = 1e-3

  private static let frame = EchoFormat.frameSamples
  private static let taps = EchoFormat.taps

  public let addedDelay = 0
  public private(set) var state = EchoState()

  /// Weights of the newest sample first.
  private let weights = Samples(taps)
  /// The far end, newest sample first, sliding down through memory of twice the filter's length.
  private let history = Samples(2 * taps + frame)
  private var newest: Int
  private let microphone = Samples(frame)
  private let residual = Samples(frame)
  private var goodBlocks = 0
  private var hasModel = false
  private var louder = 0

  public init() { newest = Self.taps + Self.frame }

  public func reset() {
    state = EchoState()
    forget()
    history.clear()
    newest = Self.taps + Self.frame
    louder = 0
  }

  private func forget() {
    weights.clear()
    goodBlocks = 0
    hasModel = false
  }

  public func cancel(
    farEnd: Span<Float>, microphone near: Span<Float>, output: inout MutableSpan<Float>
  ) {
    guard farEnd.count == Self.frame, near.count == Self.frame, output.count == Self.frame,
      !state.isOff
    else { return pass(near, &output) }
    microphone.take(near)
    push(farEnd)
    let isAudible =
      Kernel.energy(history.base + newest, Self.frame) > Self.audible * Float(Self.frame)
    let inputEnergy = Kernel.energy(microphone.base, Self.frame)
    estimate()
    var outputEnergy = Kernel.energy(residual.base, Self.frame)
    if isAudible {
      if !hasModel || outputEnergy < Self.explained * inputEnergy {
        learn()
        outputEnergy = Kernel.energy(residual.base, Self.frame)
      }
      judge(outputEnergy, inputEnergy)
    }
    for place in 0..<Self.frame { output[place] = residual.base[place] }
  }

  /// Puts a frame before the older ones, which move up only when the room below is used up.
  private func push(_ farEnd: Span<Float>) {
    if newest < Self.frame {
      let target = history.count - Self.taps
      (history.base + target).update(from: history.base + newest, count: Self.taps)
      newest = target
    }
    newest -= Self.frame
    for place in 0..<Self.frame {
      let sample = farEnd[place]
      let held = max(-EchoState.loudest, min(EchoState.loudest, sample))
      history.base[newest + Self.frame - 1 - place] = sample.isNaN ? 0 : held
    }
  }

  /// The far end under the filter at sample `place` of the frame.
  private func window(_ place: Int) -> UnsafeMutablePointer<Float> {
    history.base + newest + Self.frame - 1 - place
  }

  /// What the filter as it stands leaves of the frame.
  private func estimate() {
    for place in 0..<Self.frame {
      residual.base[place] =
        microphone.base[place] - Kernel.dot(weights.base, window(place), Self.taps)
    }
  }

  /// The same, learning from each sample.
  private func learn() {
    var energy = Kernel.energy(window(0), Self.taps)
    for place in 0..<Self.frame {
      let far = window(place)
      if place > 0 {
        energy += far[0] * far[0] - far[Self.taps] * far[Self.taps]
      }
      let error = microphone.base[place] - Kernel.dot(weights.base, far, Self.taps)
      residual.base[place] = error
      let gain = Self.step * error / (max(0, energy) + Self.regularisation)
      Kernel.add(weights.base, gain, far, Self.taps)
    }
  }

  private func judge(_ output: Float, _ input: Float) {
    goodBlocks = output < Self.modelRatio * input ? goodBlocks + 1 : 0
    if goodBlocks >= Self.modelBlocks { hasModel = true }
    louder = output > input ? louder + 1 : 0
    guard louder >= Self.louderBlocks else { return }
    louder = 0
    state.resets += 1
    forget()
    if state.resets >= Self.maximumResets { state.isOff = true }
  }
}

extension EchoCanceller {
  /// The microphone as it is.
  func pass(_ near: Span<Float>, _ output: inout MutableSpan<Float>) {
    for place in 0..<output.count {
      guard place < near.count, !near[place].isNaN else {
        output[place] = 0
        continue
      }
      output[place] = max(-EchoState.loudest, min(EchoState.loudest, near[place]))
    }
  }
}
