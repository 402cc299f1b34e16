import Identity
import Mesh
import Testing
import Wire

@Suite("table of people") struct PeopleTableTests {
  /// Hears `count` people on a link, slowly enough for its share of hellos.
  private func flood(
    _ test: inout TestMesh<ModelCryptography>, on link: UInt32, first: Int, count: Int
  ) {
    for person in first..<first + count {
      var stranger = Speaker(UInt64(person))
      test.pass(.milliseconds(50))
      test.hear(&stranger, on: link)
    }
  }

  @Test("1,024 are remembered, 256 of them by one link: who makes up more forgets their own")
  func share() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1, hops: 1)
    flood(&test, on: 2, first: 1_000, count: 400)
    #expect(test.counter("mesh.people") == 257)
    #expect(test.person(bob.keys) != nil)
    #expect(test.person(ModelCryptography.keys(of: 1_143)) == nil)
    #expect(test.person(ModelCryptography.keys(of: 1_144)) != nil)
  }

  @Test("a crowd of floods pushes out its own, not who was heard on a quiet link")
  func crowd() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2, name: "Bob")
    test.hear(&bob, on: 1, hops: 1)
    for link in 2...8 as ClosedRange<UInt32> {
      test.up(link)
      flood(&test, on: link, first: Int(link) * 1_000, count: 260)
    }
    #expect(test.counter("mesh.people") == 1_024)
    #expect(test.person(bob.keys) != nil)
    #expect(test.mesh.everyone.count == 1_024)
  }

  @Test("who says other people's hellos again does not come to own them")
  func repeating() {
    var test = TestMesh()
    test.up(1)
    test.up(2)
    var friends = (10..<40).map { Speaker(UInt64($0)) }
    for index in friends.indices { test.hear(&friends[index], on: 1, hops: 1) }
    test.pass(.seconds(1))
    for index in friends.indices { test.hear(&friends[index], on: 2, hops: 1) }
    flood(&test, on: 2, first: 1_000, count: 300)
    #expect(friends.allSatisfy { test.person($0.keys) != nil })
  }

  @Test("those of a link that is gone belong to the next that brings them")
  func inheritance() {
    var test = TestMesh()
    test.up(1)
    var bob = Speaker(2)
    test.hear(&bob, on: 1, hops: 1)
    test.down(1)
    test.up(2)
    test.pass(.seconds(1))
    test.hear(&bob, on: 2, hops: 1)
    flood(&test, on: 2, first: 1_000, count: 256)
    #expect(test.person(bob.keys) == nil)
  }

  @Test("everyone is named by number, the pinned too who were not heard")
  func everyone() throws {
    var book = ContactBook()
    for person in [5, 6] as [UInt64] {
      try book.apply(.pin(ModelCryptography.keys(of: person), name: "Pinned"))
    }
    try book.apply(.verify(ModelCryptography.keys(of: 5)))
    var test = TestMesh(contacts: book)
    test.up(1)
    var others = (6..<12).map { Speaker(UInt64($0), name: "Heard") }
    for index in others.indices { test.hear(&others[index], on: 1, hops: 1) }
    let everyone = test.mesh.everyone
    #expect(Set(everyone.map(\.keys)) == Set((5..<12).map { ModelCryptography.keys(of: $0) }))
    #expect(everyone.map(\.number) == everyone.map(\.number).sorted())
    let pinned = try #require(test.person(ModelCryptography.keys(of: 5)))
    #expect(pinned.isPinned && pinned.isVerified && pinned.name == "Pinned" && pinned.heard == nil)
    let both = try #require(test.person(ModelCryptography.keys(of: 6)))
    #expect(both.isPinned && !both.isVerified && both.name == "Heard" && both.heard != nil)
  }
}
