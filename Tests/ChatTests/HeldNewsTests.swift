import Chat
import Testing
import Wire

@Suite("HeldNews") struct HeldNewsTests {
  private func link(_ number: Int, up: Bool) -> LinkStatus {
    LinkStatus(isUp: up, link: "wifi-\(number)", transport: "wifi")
  }

  private func person(_ number: Int, _ name: String = "", new: Bool = true) -> Peer {
    Peer(
      fingerprint: Fingerprint(value: UInt64(number)), name: name, isDirect: true, isNew: new,
      heard: nil)
  }

  @Test("a link that came and went untold is no news, one that was told of goes")
  func links() {
    var news = HeldNews()
    news.hold(link(1, up: false))
    news.hold(link(2, up: true))
    news.hold(link(3, up: true))
    news.hold(link(2, up: false))
    #expect(news.takeAll() == [.link(link(1, up: false)), .link(link(3, up: true))])
    #expect(news.isEmpty)
  }

  @Test("of a person the newest counts, at the first one's place, and new stays new")
  func people() {
    var news = HeldNews()
    news.hold(person(1, "Ann"))
    news.hold(person(2, "Bo", new: false))
    news.hold(person(1, "Anna", new: false))
    #expect(news.takeAll() == [.peer(person(1, "Anna")), .peer(person(2, "Bo", new: false))])
  }

  @Test("any number of people and links holds no more than there is room for; the oldest go")
  func bounds() {
    var news = HeldNews()
    news.hold(link(0, up: true))
    for number in 0..<3_000 {
      news.hold(person(number))
      news.hold(link(1, up: true))
      news.hold(link(1, up: false))
    }
    #expect(news.count == HeldNews.maximumPeople + 1)
    let all = news.takeAll()
    #expect(all.first == .link(link(0, up: true)))
    #expect(all.last == .peer(person(2_999)))
    #expect(all.dropFirst().first == .peer(person(3_000 - HeldNews.maximumPeople)))
  }
}
