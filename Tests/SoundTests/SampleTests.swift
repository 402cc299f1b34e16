import Testing

@testable import Sound

@Suite("samples") struct SampleTests {
  @Test("every 16-bit sample comes back")
  func exact() {
    let wrong = (Int16.min...Int16.max).filter { Sample.int16(Sample.float($0)) != $0 }
    #expect(wrong == [])
  }

  @Test("what is too loud is clipped and what is no number is silence")
  func bounds() {
    #expect(Sample.int16(1) == .max && Sample.int16(-1) == .min)
    #expect(Sample.int16(.infinity) == .max && Sample.int16(-.infinity) == .min)
    #expect(Sample.int16(.nan) == 0 && Sample.int16(1e30) == .max)
  }
}
