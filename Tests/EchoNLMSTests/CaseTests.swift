import Testing

@testable import EchoNLMS

/// What `nlms` has to reach, by kind of case: a few dB less than it does.
@Suite("nlms on made cases") struct CaseTests {
  static let alone: [(EchoRecipe, linear: Float, full: Float, reached: Float)] = [
    (EchoRecipe(name: "echo alone"), 31, 41, 2),
    (EchoRecipe(name: "weak echo", loss: 22), 26, 35, 2.5),
    (EchoRecipe(name: "100 ms late", delay: 2_400), 29, 42, 2),
    (EchoRecipe(name: "another room after 2 s", seconds: 7, changeAt: 2), 18, 26, 5),
    (
      EchoRecipe(name: "60 ms later after 2 s", seconds: 7, delayAfter: 2_040, changeAt: 2), 10, 15,
      6
    ),
    (EchoRecipe(name: "100 ppm of drift", seconds: 12, drift: 100), 31, 43, 2.5),
    (EchoRecipe(name: "-300 ppm of drift", seconds: 12, drift: -300), 28, 39, 3.5),
    (EchoRecipe(name: "loud noise", noise: -45), 15, 16, 4),
    (EchoRecipe(name: "tones", isTone: true), 17, 23, 1.5),
  ]

  @Test("echo is taken away, soon and enough", arguments: alone)
  func removes(recipe: EchoRecipe, linear: Float, full: Float, reached: Float) {
    let made = recipe.make()
    let bare = EchoScore(made, NLMSCanceller(withSuppressor: false))
    let whole = EchoScore(made, NLMSCanceller())
    #expect(bare.removed >= linear, "\(recipe.name): \(bare)")
    #expect(whole.removed >= full, "\(recipe.name): \(whole)")
    #expect((bare.reached ?? 10) <= reached, "\(recipe.name): \(bare)")
  }

  static let together: [(EchoRecipe, gain: Float)] = [
    (EchoRecipe(name: "both from the first second", near: 0.2..<6), 7),
    (EchoRecipe(name: "both after 3 s", near: 3..<6), 12),
  ]

  @Test("who talks meanwhile is heard better than with the echo", arguments: together)
  func both(recipe: EchoRecipe, gain: Float) {
    let made = recipe.make()
    let whole = EchoScore(made, NLMSCanceller())
    #expect(whole.after >= whole.before + gain, "\(recipe.name): \(whole)")
  }

  @Test("who talks from the first second over an echo that hardly matters loses nothing")
  func weak() {
    let whole = EchoScore(
      EchoRecipe(name: "weak", loss: 20, near: 0.2..<6).make(), NLMSCanceller())
    #expect(whole.after >= whole.before)
  }

  @Test("who talks after the far end loses nothing")
  func afterwards() {
    let made = EchoRecipe(name: "turns", near: 3..<6, far: 0.2..<2.5).make()
    #expect(abs(EchoScore(made, NLMSCanceller()).loss) < 0.1)
  }

  @Test(
    "the drift that was found is the drift there is", arguments: [-300, -40, 0, 20, 150] as [Float])
  func drift(millionths: Float) throws {
    let canceller = NLMSCanceller()
    _ = EchoScore(EchoRecipe(name: "drift", seconds: 12, drift: millionths).make(), canceller)
    #expect(abs(try #require(canceller.state.drift) - millionths) <= 5)
  }

  @Test("a delay that jumps is found within a second", arguments: [-400, 777, 2_000])
  func jump(samples: Int) throws {
    let recipe = EchoRecipe(
      name: "jump", seconds: 4, delay: 900, delayAfter: 900 + samples, changeAt: 3)
    let canceller = NLMSCanceller()
    _ = EchoScore(recipe.make(), canceller)
    #expect(abs(try #require(canceller.state.delay) - 900 - samples) <= 24)
  }

  @Test("the delay that was found is the delay there is", arguments: [0, 600, 2_400, 7_200])
  func delay(samples: Int) throws {
    let canceller = NLMSCanceller()
    _ = EchoScore(EchoRecipe(name: "delay", seconds: 3, delay: samples).make(), canceller)
    #expect(abs(try #require(canceller.state.delay) - samples) <= 24)
  }
}
