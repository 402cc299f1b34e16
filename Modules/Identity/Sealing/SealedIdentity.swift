internal import CSodium

/// The bytes of an identity file, checked as far as that goes without its key.
struct SealedIdentity {
  let header: SealingHeader
  private let sealed: [UInt8]
  private let path: String

  init(_ bytes: [UInt8], path: String) throws(IdentityFileError) {
    let magic = SealingHeader.magic
    guard magic.starts(with: bytes.prefix(magic.count)) else {
      throw .notAnIdentityFile(path: path)
    }
    guard bytes.count >= IdentityFile.length else {
      throw .truncated(path: path, size: bytes.count)
    }
    // The version first: another one may be of another length and have another checksum.
    guard bytes[magic.count] == SealingHeader.version else {
      throw .unknownVersion(bytes[magic.count])
    }
    let body = bytes.prefix(IdentityFile.length - IdentityFile.checksumLength)
    guard bytes.count == IdentityFile.length, bytes[body.count...] == Self.checksum(body)[...]
    else {
      throw .damaged(path: path)
    }
    do throws(SealingHeader.DecodeError) {
      header = try SealingHeader(body)
    } catch {
      switch error {
      case .notAnIdentityFile: throw .notAnIdentityFile(path: path)
      case .unknownVersion(let version): throw .unknownVersion(version)
      case .unknownKind(let kind): throw .unknownSealing(kind)
      case .absurdCost(let cost): throw .absurdCost(cost)
      case .malformed: throw .damaged(path: path)
      }
    }
    sealed = Array(body[SealingHeader.length...])
    self.path = path
  }

  static func seal(
    _ opened: OpenedIdentity, _ header: SealingHeader, key: borrowing SecretBytes
  ) -> [UInt8] {
    var contents = SecretBytes(count: IdentityFile.contentsLength)
    let seed = opened.identity.makeSeed()
    contents.withUnsafeMutableBytes { contents in
      seed.withUnsafeBytes { contents.copyMemory(from: $0) }
      contents[Identity.seedLength] = UInt8(opened.name.utf8.count)
      UnsafeMutableRawBufferPointer(rebasing: contents[(Identity.seedLength + 1)...])
        .copyBytes(from: opened.name.utf8)
    }
    let headerBytes = header.bytes
    let body = contents.withUnsafeBytes {
      headerBytes + SecretBox.seal($0, associatedData: headerBytes, key: key)
    }
    return body + checksum(body[...])
  }

  func open(
    with source: any SealingKey, in home: Home
  ) throws(IdentityFileError) -> OpenedIdentity {
    guard source.kind == header.kind else { throw .otherSealing(header.kind) }
    let key = try source.key(for: header, in: home)
    var contents = SecretBytes(count: IdentityFile.contentsLength)
    let opened = contents.withUnsafeMutableBytes { contents in
      sealed.withUnsafeBytes {
        SecretBox.open($0, associatedData: header.bytes, key: key, into: contents)
      }
    }
    guard opened else {
      throw header.kind == .passphrase ? .wrongPassphrase : .wrongKey(header.kind)
    }
    let parts = contents.withUnsafeBytes { contents -> (Identity?, String?) in
      let seed = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: contents.prefix(64)))
      let length = Int(contents[Identity.seedLength])
      let name = contents.dropFirst(Identity.seedLength + 1).prefix(length)
      return (
        Identity(seed: seed), name.count == length ? String(validating: name, as: UTF8.self) : nil
      )
    }
    guard let identity = parts.0, let name = parts.1, identity.publicKeys.areIssuable else {
      throw .damaged(path: path)
    }
    return OpenedIdentity(identity: identity, name: name)
  }

  static func checksum(_ body: ArraySlice<UInt8>) -> [UInt8] {
    Sodium.start()
    var checksum = [UInt8](repeating: 0, count: IdentityFile.checksumLength)
    let body = Array(body)
    crypto_generichash(&checksum, checksum.count, body, UInt64(body.count), nil, 0)
    return checksum
  }
}
