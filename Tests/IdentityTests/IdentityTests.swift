import Identity
import Testing
import Wire

@Suite("identity") struct IdentityTests {
  @Test("keys, fingerprint, number, hello, card and storage keys are those of the fixture")
  func fixture() throws {
    let fixture = try Fixture.load()
    let id = try #require(PacketID(hex: fixture.packetID))
    let time = Timestamp(milliseconds: fixture.time)
    for person in fixture.people + fixture.twins {
      let identity = try person.identity()
      #expect(identity.publicKeys.signing.hex == person.signing)
      #expect(identity.publicKeys.agreement.hex == person.agreement)
      #expect(identity.fingerprint.hex == person.fingerprint)
      #expect(identity.fingerprint.number.description == person.number)
      let hello = identity.makeHello(name: person.name, id: id, time: time)
      #expect(hello.payload.hex == person.hello)
      #expect(hello.isAuthentic(id: id, time: time))
      let card = identity.makeCard(name: person.name, time: time)
      #expect(card.text == person.card)
      #expect(card.isAuthentic)
      for (label, key) in person.storageKeys {
        #expect(identity.storageKey(label).hex == key, "label \(label)")
      }
    }
  }

  @Test("the safety number is the fixture's, whoever works it out")
  func safetyNumber() throws {
    let fixture = try Fixture.load()
    let people = try fixture.people.map { try $0.identity().publicKeys }
    let number = SafetyNumber(people[0], people[1])
    #expect(number.description == fixture.safetyNumber)
    #expect(number == SafetyNumber(people[1], people[0]))
    #expect(number.groups.count == 12)
    #expect(number.groups.allSatisfy { $0.count == 5 })
    #expect(number != SafetyNumber(people[0], people[0]))
  }

  @Test("seeds whose number is reserved are thrown away, and the next one is taken")
  func reservedThrownAway() throws {
    let thrown = try [Identity.sample(1), .sample(2)].map(\.fingerprint)
    var next: UInt8 = 0
    let identity = Identity.generate(
      random: { bytes in
        next += 1
        for index in bytes.indices { bytes[index] = next }
      }, isReserved: { thrown.contains($0) })
    #expect(try identity.fingerprint == Identity.sample(3).fingerprint)
  }

  @Test("two new identities are not the same")
  func generate() {
    let (a, b) = (Identity.generate(), Identity.generate())
    #expect(a.publicKeys != b.publicKeys)
    #expect(a.publicKeys.areIssuable)
  }

  @Test("a source of randomness that gives the same again and again stops the program")
  func brokenRandomness() async {
    await #expect(processExitsWith: .failure) {
      _ = Identity.generate(
        random: { for index in $0.indices { $0[index] = 7 } }, isReserved: { _ in true })
    }
  }

  @Test("storage keys differ by label and by person, and say nothing of the seed")
  func storageKeys() throws {
    let (a, b) = try (Identity.sample(1), Identity.sample(2))
    let keys = [
      a.storageKey("contacts").hex, a.storageKey("received").hex, b.storageKey("contacts").hex,
    ]
    #expect(Set(keys).count == 3)
    #expect(a.storageKey("contacts").hex == keys[0])
  }
}

@Suite("cards and hellos") struct CardTests {
  private let time = Timestamp(milliseconds: 1_700_000_000_000)

  @Test(
    "a card survives being text, white space around it included",
    arguments: ["", "Ada", "Zoë 🦊", String(repeating: "é", count: 32), "\u{1B}[2J\u{202E}\n"])
  func roundTrip(name: String) throws {
    let card = try Identity.sample(1).makeCard(name: name, time: time)
    #expect(try ContactCard(text: card.text) == card)
    #expect(try ContactCard(text: " \r\n\t" + card.text + "\n\n") == card)
    #expect(card.isAuthentic)
  }

  @Test("no bit of a card can be changed")
  func tampered() throws {
    let bytes = try Identity.sample(1).makeCard(name: "Ada", time: time).bytes
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      if let card = try? ContactCard(bytes: changed) {
        #expect(!card.isAuthentic, "bit \(bit)")
      }
    }
  }

  @Test("a card's signature is no hello's and the other way round")
  func labels() throws {
    let identity = try Identity.sample(1)
    let id = PacketID(hex: String(repeating: "ab", count: 16)) ?? PacketID()
    let card = identity.makeCard(name: "Ada", time: time)
    let hello = identity.makeHello(name: "Ada", id: id, time: time)
    #expect(!card.hello.isAuthentic(id: id, time: time))
    #expect(!ContactCard(hello: hello, time: time).isAuthentic)
    #expect(hello.isAuthentic(id: id, time: time))
    #expect(!hello.isAuthentic(id: PacketID(), time: time))
    #expect(!hello.isAuthentic(id: id, time: time.advanced(by: .milliseconds(1))))
  }

  @Test("a card in another's name is refused")
  func borrowed() throws {
    let (ada, eve) = try (Identity.sample(1), Identity.sample(2))
    let card = eve.makeCard(name: "Ada", time: time)
    let forged = ContactCard(
      hello: Hello(keys: ada.publicKeys, name: "Ada", signature: card.hello.signature), time: time)
    #expect(!forged.isAuthentic)
  }
}
