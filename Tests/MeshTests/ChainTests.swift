import Identity
import Mesh
import Outbox
import Testing
import Wire

/// Ada and Cleo do not hear each other; Bert is between them.
@Suite("chain of three") struct ChainTests {
  enum Kind: CaseIterable { case real, model }

  /// Runs a scene with the real cryptography or with the model.
  private func run(
    _ kind: Kind, _ real: (Chain<SealedCryptography>) throws -> Void,
    _ model: (Chain<ModelCryptography>) throws -> Void
  ) throws {
    switch kind {
    case .real:
      let identities = try (1...3).map { try Identity.sample(UInt8($0)) }
      try real(Chain { person, _ in SealedCryptography(identities[person]) })
    case .model:
      try model(Chain { ModelCryptography(UInt64($0 + 1), seed: UInt64($1)) })
    }
  }

  struct Chain<Cryptography: MeshCryptography> {
    let net = TestNet<Cryptography>(seed: 1)
    let ada, bert, cleo: Int
    let near, far: Int

    /// Bert and Cleo are joined once Ada's hellos to Bert are long past.
    init(_ cryptography: @escaping (Int, Int) -> Cryptography) {
      ada = net.add("Ada") { cryptography(0, $0) }
      bert = net.add("Bert") { cryptography(1, $0) }
      cleo = net.add("Cleo") { cryptography(2, $0) }
      near = net.join(ada, bert)
      net.run(for: .seconds(60))
      far = net.join(bert, cleo)
    }

    func knows(_ device: Int, _ other: Int) -> Bool {
      let keys = net[other].mesh.ownKeys
      return net[device].mesh.everyone.contains { $0.keys == keys }
    }
  }

  @Test("a text reaches Cleo over Bert, and her receipt Ada", arguments: Kind.allCases)
  func text(kind: Kind) throws { try run(kind, text, text) }

  private func text<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    try net.send("hello, Cleo", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(1))
    let shown = net[chain.cleo].effects.shown
    #expect(shown.map(\.text) == ["hello, Cleo"])
    #expect(shown.map(\.sender) == [net[chain.ada].mesh.ownKeys])
    #expect(shown.map(\.name) == ["Ada"])
    #expect(net[chain.ada].effects.states == [.sent, .delivered])
    #expect(net[chain.bert].effects.shown.isEmpty)
    try net.send("hello, Ada", from: chain.cleo, to: chain.ada)
    net.run(for: .seconds(1))
    #expect(net[chain.ada].effects.texts == ["hello, Ada"])
    #expect(net[chain.cleo].effects.states == [.sent, .delivered])
  }

  @Test("Cleo, who joined last, comes to know Ada within a second", arguments: Kind.allCases)
  func acquaintance(kind: Kind) throws { try run(kind, acquaintance, acquaintance) }

  private func acquaintance<C>(_ chain: Chain<C>) throws {
    chain.net.run(for: .milliseconds(100))
    #expect(chain.knows(chain.ada, chain.cleo))
    #expect(!chain.knows(chain.cleo, chain.ada), "Bert kept no copy of Ada's hello")
    chain.net.run(for: .seconds(1))
    #expect(chain.knows(chain.cleo, chain.ada))
    // And all fall silent then.
    chain.net.run(for: .seconds(5))
    let before = chain.net[chain.bert].log.count
    chain.net.run(for: .seconds(3_600))
    #expect(chain.net[chain.bert].log.count == before)
  }

  @Test("Cleo, who forgot Ada in a restart, comes to know her again", arguments: Kind.allCases)
  func knownAgain(kind: Kind) throws { try run(kind, knownAgain, knownAgain) }

  private func knownAgain<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(100))
    #expect(chain.knows(chain.cleo, chain.ada))
    net.stop(chain.cleo)
    net.start(chain.cleo)
    #expect(!chain.knows(chain.cleo, chain.ada))
    net.connect(chain.far)
    net.run(for: .seconds(3))
    #expect(chain.knows(chain.cleo, chain.ada))
    // And all fall silent then.
    net.run(for: .seconds(5))
    let before = net[chain.bert].log.count
    net.run(for: .seconds(3_600))
    #expect(net[chain.bert].log.count == before)
  }

  @Test("Ada, whom Cleo has never heard of, writes first", arguments: Kind.allCases)
  func unknownSender(kind: Kind) throws { try run(kind, unknownSender, unknownSender) }

  private func unknownSender<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .milliseconds(100))
    #expect(!chain.knows(chain.cleo, chain.ada))
    try net.send("do you know me?", from: chain.ada, to: chain.cleo)
    net.run(for: .milliseconds(50))
    #expect(net[chain.cleo].effects.shown.map(\.name) == [""])
    #expect(net[chain.ada].effects.states == [.sent, .delivered])
    try net.send("no", from: chain.cleo, to: chain.ada)
    net.run(for: .seconds(2))
    #expect(net[chain.ada].effects.texts == ["no"])
  }

  @Test(
    "what is sent while Cleo's cable is out reaches her when it is back",
    arguments: Kind.allCases)
  func cable(kind: Kind) throws { try run(kind, cable, cable) }

  private func cable<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    net.cut(chain.far)
    for text in ["one", "two", "three"] { try net.send(text, from: chain.ada, to: chain.cleo) }
    net.run(for: .seconds(300))
    #expect(net[chain.cleo].effects.texts.isEmpty)
    net.connect(chain.far)
    net.run(for: .seconds(2))
    #expect(net[chain.cleo].effects.texts == ["one", "two", "three"])
    #expect(net[chain.ada].effects.states.filter { $0 == .delivered }.count == 3)
    net.run(for: .seconds(3_600))
    #expect(net[chain.cleo].effects.texts.count == 3)
  }

  @Test("so does what Ada sent a second before, once ten are past", arguments: Kind.allCases)
  func cableBackAtOnce(kind: Kind) throws { try run(kind, cableBackAtOnce, cableBackAtOnce) }

  private func cableBackAtOnce<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    net.cut(chain.far)
    try net.send("hello", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(1))
    net.connect(chain.far)
    net.run(for: .seconds(8))
    #expect(net[chain.cleo].effects.texts.isEmpty, "Bert has seen that packet")
    net.run(for: .seconds(2))
    #expect(net[chain.cleo].effects.texts == ["hello"])
  }

  @Test(
    "after Ada's restart all goes on: nothing shown again, her contacts kept",
    arguments: Kind.allCases)
  func restart(kind: Kind) throws { try run(kind, restart, restart) }

  private func restart<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    try net.send("before", from: chain.ada, to: chain.cleo)
    try net.send("answer", from: chain.cleo, to: chain.ada)
    net.run(for: .seconds(1))
    let recorded = net[chain.bert].effects.sends(.sealed).map(\.packet)
    net.stop(chain.ada)
    net.run(for: .seconds(60))
    net.start(chain.ada)
    #expect(chain.knows(chain.ada, chain.cleo), "from the disk")
    net.connect(chain.near)
    try net.send("after", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(1))
    #expect(net[chain.cleo].effects.texts == ["before", "after"])
    let link = try #require(net.links(of: chain.ada).first)
    for packet in recorded { net.inject(packet, into: chain.ada, on: link) }
    net.run(for: .seconds(1))
    #expect(net[chain.ada].effects.texts == ["answer"])
  }

  @Test(
    "with one direction lost, a text is shown once and delivered when it is mended",
    arguments: Kind.allCases)
  func oneWay(kind: Kind) throws { try run(kind, oneWay, oneWay) }

  private func oneWay<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    net.set(chain.far, .dead, from: chain.cleo)
    try net.send("hello", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(200))
    #expect(net[chain.cleo].effects.texts == ["hello"])
    #expect(net[chain.ada].effects.states == [.sent])
    net.set(chain.far, .perfect)
    net.run(for: .seconds(600))
    #expect(net[chain.ada].effects.states == [.sent, .delivered])
    #expect(net[chain.cleo].effects.texts == ["hello"])
    // The other way round.
    net.set(chain.near, .dead, from: chain.ada)
    try net.send("again", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(60))
    #expect(net[chain.cleo].effects.texts == ["hello"])
    net.set(chain.near, .perfect)
    net.run(for: .seconds(100))
    #expect(net[chain.cleo].effects.texts == ["hello", "again"])
  }

  @Test("a message reaches who appears behind a relay that has seen it", arguments: Kind.allCases)
  func behindARelay(kind: Kind) throws { try run(kind, behindARelay, behindARelay) }

  private func behindARelay<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    net.cut(chain.far)
    let id = try net.send("hello", from: chain.ada, to: chain.cleo)
    net.run(for: .seconds(15))
    net.connect(chain.far)
    net.run(for: .seconds(1))
    #expect(net[chain.cleo].effects.texts == ["hello"])
    #expect(net[chain.cleo].effects.shown.map(\.id) == [id])
  }

  @Test(
    "Bert keeps no copy: who links up a moment later sees nothing of it",
    arguments: Kind.allCases)
  func noCopy(kind: Kind) throws { try run(kind, noCopy, noCopy) }

  private func noCopy<C>(_ chain: Chain<C>) throws {
    let net = chain.net
    net.run(for: .seconds(3))
    net.cut(chain.far)
    try net.send("hello", from: chain.ada, to: chain.cleo)
    net.run(for: .milliseconds(10))
    var seen: [PacketKind] = []
    net.onReceive = { device, _, packet, _ in
      if device == chain.cleo { seen.append(packet.header.kind) }
    }
    net.connect(chain.far)
    net.run(for: .seconds(5))
    #expect(!seen.isEmpty)
    #expect(seen.allSatisfy { $0 == .hello })
  }
}

extension Identity {
  /// The person whose seed is this byte, over and over.
  static func sample(_ byte: UInt8) throws -> Identity {
    var bytes = [UInt8](repeating: byte, count: seedLength)
    let identity = Identity(seed: SecretBytes(consuming: &bytes))
    return try #require(identity)
  }
}
