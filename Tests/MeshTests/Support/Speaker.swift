import Identity
import Mesh
import Wire

/// Somebody outside the mesh under test, who makes whatever packets a test wants.
struct Speaker<Cryptography: MeshCryptography>: Sendable {
  var cryptography: Cryptography
  var name: String

  init(_ cryptography: Cryptography, name: String = "") {
    self.cryptography = cryptography
    self.name = name
  }

  var keys: PublicKeys { cryptography.publicKeys }
  var fingerprint: Fingerprint { cryptography.fingerprint(of: keys) }
  var number: Number { fingerprint.number }

  mutating func newID() -> PacketID {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: cryptography.random())
    bytes.append(bigEndian: cryptography.random())
    return PacketID(bytes) ?? PacketID()
  }

  mutating func hello(at time: Timestamp, hops: UInt8 = 2, id: PacketID? = nil) -> Packet {
    let id = id ?? newID()
    let hello = cryptography.makeHello(name: name, id: id, time: time)
    return Packet(
      kind: .hello, hopLimit: hops, time: time, id: id, destination: .everyone,
      payload: hello.payload)
  }

  /// A sealed packet; without ids of its own it is a first sending.
  mutating func sealed(
    _ content: MessageContent, to recipient: PublicKeys, at time: Timestamp,
    message: MessageID? = nil, id: PacketID? = nil, hops: UInt8 = 7
  ) -> Packet {
    let id = id ?? newID()
    let payload = cryptography.seal(
      content, messageID: message ?? MessageID(id), to: recipient, packetID: id, time: time)
    return Packet(
      kind: .sealed, hopLimit: hops, time: time, id: id,
      destination: cryptography.fingerprint(of: recipient),
      payload: payload ?? [UInt8](repeating: 0, count: 304))
  }

  mutating func text(
    _ text: String, to recipient: PublicKeys, at time: Timestamp, message: MessageID? = nil,
    id: PacketID? = nil, hops: UInt8 = 7
  ) -> Packet {
    sealed(.text(text), to: recipient, at: time, message: message, id: id, hops: hops)
  }

  /// Bytes of a sealed packet's shape that open for nobody.
  mutating func junk(
    to destination: Fingerprint, at time: Timestamp, id: PacketID? = nil, size: Int = 304
  ) -> Packet {
    var payload: [UInt8] = []
    payload.append(bigEndian: cryptography.random())
    payload += [UInt8](repeating: 0xAA, count: size - payload.count)
    return Packet(
      kind: .sealed, hopLimit: 7, time: time, id: id ?? newID(), destination: destination,
      payload: payload)
  }

  mutating func voice(to destination: Fingerprint, at time: Timestamp) -> Packet {
    Packet(
      kind: .voice, hopLimit: 1, time: time, id: newID(), destination: destination,
      payload: [UInt8](repeating: 7, count: 80))
  }
}

extension Speaker<ModelCryptography> {
  /// The model's person of this number.
  init(_ person: UInt64, name: String = "") {
    self.init(ModelCryptography(person, seed: 0x5EAC), name: name)
  }
}
