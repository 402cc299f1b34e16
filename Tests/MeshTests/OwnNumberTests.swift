import Identity
import Mesh
import Testing
import Wire

/// Somebody made keys that have our own number.
@Suite("other keys under our own number") struct OwnNumberTests {
  private func scene() -> (TestMesh<ModelCryptography>, Speaker<ModelCryptography>) {
    let people = ModelCryptography.triplets
    var test = TestMesh(person: people[0])
    test.up(1)
    return (test, Speaker(people[1], name: "Ada"))
  }

  @Test("are warned of once, told of as nobody and never shown or answered")
  func refused() {
    var (test, twin) = scene()
    #expect(twin.number == test.fingerprint.number)
    let effects = test.hear(&twin, on: 1)
    #expect(
      effects.warnings == [
        .keysChanged(kept: test.fingerprint, seen: twin.fingerprint, name: "Ada")
      ])
    #expect(effects.people.isEmpty)
    #expect(test.receiveText(from: &twin, on: 1).isEmpty)
    #expect(test.counter("mesh.from-contradicting") == 1)
  }

  @Test("can be neither written to nor accepted nor blocked")
  func acts() {
    var (test, twin) = scene()
    test.hear(&twin, on: 1)
    #expect(test.refusal(to: twin.number, fingerprint: twin.fingerprint) == .isSelf)
    #expect(throws: MeshRefusal.isSelf) {
      try test.mesh.accept(twin.number, fingerprint: twin.fingerprint, at: test.moment)
    }
    #expect(throws: MeshRefusal.isSelf) { try test.mesh.block(twin.number, true, at: test.moment) }
    #expect(test.person(twin.keys)?.contradictsPin == true)
  }
}
