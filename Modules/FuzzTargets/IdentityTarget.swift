internal import Glibc
internal import Identity

enum IdentityTarget {
  /// A home of this process's own, in memory where the system has such a place.
  private static let home: Home? = {
    for parent in ["/dev/shm", "/tmp"] {
      var template = Array((parent + "/airlink-fuzz-XXXXXX").utf8CString)
      guard mkdtemp(&template) != nil else { continue }
      let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      atexit { IdentityTarget.leave() }
      return try? Home(path: path, ifMissing: .refuse)
    }
    return nil
  }()

  private static func leave() {
    guard let home else { return }
    unlink(home.path(of: .identity))
    rmdir(home.path)
  }

  static func run(_ input: [UInt8]) -> String? {
    guard let home else { return "no home can be made" }
    let path = home.path(of: .identity)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return "no file can be made" }
    let count = input.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    guard count == input.count else { return "no file can be written" }
    _ = try? IdentityFile.kind(in: home)
    // Without its key no file opens; a passphrase is not tried, for that takes a second.
    if (try? IdentityFile.open(in: home, with: KeyFile())) != nil { return "a made-up file opens" }
    return nil
  }
}
