/// A small file of the home that is read and written whole, sealed for one identity.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | the file's own magic |
/// | 16 | 1 | version, 1 |
/// | 17 | 7 | zeros |
/// | 24 | 24 | nonce |
/// | 48 | n | contents, sealed by XChaCha20-Poly1305 with bytes 0…23 as associated data |
/// | 48 + n | 16 | tag |
struct SealedFile: Sendable {
  static let headerLength = 24

  let home: Home
  let name: Home.Name
  private let header: [UInt8]
  private let limit: Int
  private let identity: Identity

  /// The file `name`, which begins with the 16 characters `magic` and holds at most
  /// `maximumContents` bytes, sealed under `identity`'s storage key of the file's name.
  init(
    _ name: Home.Name, magic: String, maximumContents: Int, in home: Home, for identity: Identity
  ) {
    self.home = home
    self.name = name
    self.identity = identity
    header = Array(magic.utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
    limit = Self.headerLength + SecretBox.overhead + maximumContents
    precondition(header.count == Self.headerLength)
  }

  /// The largest file there can be.
  var maximumSize: Int { limit }

  enum Contents {
    /// No file.
    case none
    case bytes([UInt8])
    /// No file of this kind and version, damaged, or another identity's.
    case unreadable
  }

  func load() throws(FileError) -> Contents {
    guard try home.contains(name) else { return .none }
    let bytes = try home.read(name, limit: limit)
    guard bytes.starts(with: header), bytes.count >= header.count + SecretBox.overhead else {
      return .unreadable
    }
    var contents = [UInt8](repeating: 0, count: bytes.count - header.count - SecretBox.overhead)
    let opened = bytes.withUnsafeBytes { bytes in
      contents.withUnsafeMutableBytes { contents in
        SecretBox.open(
          UnsafeRawBufferPointer(rebasing: bytes[header.count...]), associatedData: header,
          key: identity.storageKey(name.rawValue), into: contents)
      }
    }
    return opened ? .bytes(contents) : .unreadable
  }

  /// Puts a file with these contents in the place of the one there is.
  func save(_ contents: [UInt8]) throws(FileError) {
    let sealed = contents.withUnsafeBytes {
      SecretBox.seal($0, associatedData: header, key: identity.storageKey(name.rawValue))
    }
    try home.writeTemporary(header + sealed, for: name)
    try home.replaceWithTemporary(name)
  }
}
