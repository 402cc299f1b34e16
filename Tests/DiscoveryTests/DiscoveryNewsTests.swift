import Testing

@testable import Discovery

@Suite(.timeLimit(.minutes(1)))
@MainActor
struct DiscoveryNewsTests {
  private func sighting(_ number: Int) -> ServiceSighting {
    ServiceSighting(type: .airlink, name: "\(number)", interface: 1, family: .v4)
  }

  @Test("much that happens at once is told at once, and only what is left of it")
  func coalesced() async {
    var batches: [DiscoveryNews.Batch] = []
    let news = DiscoveryNews { batches.append($0) }
    for number in 0..<5_000 {
      news.note(sighting(number), isSeen: true)
      if number >= 10 { news.note(sighting(number), isSeen: false) }
    }
    news.note { $0.state = .absent }
    news.note { $0.state = .running }
    while batches.isEmpty { await Task.yield() }
    #expect(batches.count == 1)
    #expect(
      batches[0].sightings
        == Dictionary(uniqueKeysWithValues: (0..<10).map { (sighting($0), true) }))
    #expect(batches[0].state == .running)
    // What was told and goes is told again.
    news.note(sighting(3), isSeen: false)
    while batches.count < 2 { await Task.yield() }
    #expect(batches[1].sightings == [sighting(3): false])
    #expect(batches[1].state == nil)
  }
}
