/// Two filters on the same echo: one that takes its time and one that follows quickly.
///
/// What is heard is the better one's output, and a filter that is clearly better hands its weights
/// over (the two-path form of Ochiai, Araseki and Ogihara, IEEE Transactions on Communications
/// 25(6), 1977). Both are judged by how they foretell blocks that they have not learnt from, so that
/// the quick one gains nothing by learning the near talker.
final class FilterPair {
  /// How much of the echo path stays from block to block, in amplitude.
  static let patient: Float = 0.9995
  static let quick: Float = 0.99
  /// Smoothing of the energies that are compared, about 100 ms.
  static let memory: Float = 0.9
  /// The quick one's error over the patient one's that makes it better, for so many blocks.
  static let better: Float = 0.9
  static let betterBlocks = 3
  /// And the other way round.
  static let worse: Float = 0.7
  static let worseBlocks = 20
  /// Samples that the filter begins before the straight way.
  static let lead = 40
  /// The filters move only for that many samples, earlier or later.
  static let worthMoving = 100

  private let patient = AdaptiveFilter(keeping: FilterPair.patient)
  let quick = AdaptiveFilter(keeping: FilterPair.quick)
  private let batch = ConstraintBatch()
  private var patientEnergy: Float = 0
  private var quickEnergy: Float = 0
  private var quickWins = 0
  private var patientWins = 0
  private var isQuickHeard = false
  /// The block of the far end at which the filters begin.
  private(set) var base = 0
  /// What is left of the microphone.
  let error = Samples(Block.size)

  /// The residual echo's expected power, bin by bin.
  var expected: UnsafePointer<Float> { UnsafePointer(patient.expected.base) }

  func forget() {
    for filter in [patient, quick] { filter.forget() }
    (patientEnergy, quickEnergy) = (0, 0)
    (quickWins, patientWins) = (0, 0)
    isQuickHeard = false
    base = 0
    error.clear()
  }

  /// Moves to where the echo was found: the filters begin so many samples later, from `base` on.
  ///
  /// Where the echo came another way and the filters explain nothing any more, it is the same echo,
  /// only later or earlier, as far as the quick filter is told: it stays as it is. The patient one
  /// keeps to what was there.
  func move(bySamples samples: Int, to newBase: Int, isAnother: Bool, _ fourier: Fourier) {
    base = newBase
    patient.move(bySamples: samples, fourier)
    if isAnother { quick.doubt() } else { quick.move(bySamples: samples, fourier) }
  }

  /// The far end's blocks count from one later or earlier now; the filters stay where they are in it.
  func renumber(by shift: Int) { base = min(max(0, base + shift), Block.mostDelay) }

  /// Takes the echo out of one block.
  func cancel(_ far: FarSpectra, _ microphone: UnsafePointer<Float>, _ fourier: Fourier) {
    patient.estimate(far, base: base, microphone, fourier)
    quick.estimate(far, base: base, microphone, fourier)
    patientEnergy = Self.memory * patientEnergy + (1 - Self.memory) * patient.errorEnergy
    quickEnergy = Self.memory * quickEnergy + (1 - Self.memory) * quick.errorEnergy
    let before = isQuickHeard ? quick.error : patient.error
    isQuickHeard = quickEnergy < patientEnergy
    let after = isQuickHeard ? quick.error : patient.error
    for place in 0..<Block.size {
      let share = Float(place) / Float(Block.size)
      error.base[place] =
        before === after
        ? after.base[place] : before.base[place] * (1 - share) + after.base[place] * share
    }
  }

  /// Learns from the block that was cancelled.
  func learn(_ far: FarSpectra, _ fourier: Fourier) {
    patient.learn(far, base: base, fourier, batch)
    quick.learn(far, base: base, fourier, batch)
  }

  /// Hands weights over where one filter has been clearly better.
  func exchange() {
    quickWins = quickEnergy < Self.better * patientEnergy ? quickWins + 1 : 0
    patientWins = patientEnergy < Self.worse * quickEnergy ? patientWins + 1 : 0
    if quickWins >= Self.betterBlocks {
      patient.copy(quick, withVariance: true)
      patientEnergy = quickEnergy
      quickWins = 0
    }
    if patientWins >= Self.worseBlocks {
      quick.copy(patient, withVariance: false)
      quickEnergy = patientEnergy
      patientWins = 0
    }
  }
}
