internal import Glibc

/// Writes a 16-bit mono RIFF/WAVE file that appears under its name only when it is whole.
///
/// Until `finish` the bytes stand in a hidden file beside it; a file of that name stays as it was
/// when something goes wrong. A live one has its name from the start instead, and is whole up to its
/// last second at any time, also when the process is killed. A pipe or device is written to as it is.
public final class WAVWriter {
  /// Samples that fit: lengths in the file have 32 bits.
  public static let maximumSamples = (Int(UInt32.max) - 36) / 2

  private let path: String
  private var temporary: String?
  private let isFile: Bool
  private let isLive: Bool
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private let sampleRate: Int
  public private(set) var samples = 0
  /// Samples that the file's head tells of.
  private var settled = 0

  public init(path: String, sampleRate: Int, isLive: Bool = false) throws(SoundError) {
    self.path = path
    self.sampleRate = sampleRate
    self.isLive = isLive
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SoundError(systemWords(EISDIR)) }
      temporary = nil
      isFile = false
      descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      try Self.check(path)
      let name = Self.hidden(beside: path)
      temporary = name
      isFile = true
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o644)
    }
    guard descriptor >= 0 else { throw SoundError(systemWords(errno)) }
    buffer.reserveCapacity(Self.bufferBytes + 1_024)
    // A pipe keeps this: readers take such a length as "until the end".
    buffer += Self.header(
      sampleRate: sampleRate, dataBytes: isFile && isLive ? 0 : UInt32.max - 36)
    guard isFile, isLive else { return }
    try flush()
    try takeName()
  }

  /// Refuses to take the place of a file that holds something other than sound: it may be somebody's
  /// keys.
  private static func check(_ path: String) throws(SoundError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw SoundError(systemWords(errno))
    }
    defer { close(descriptor) }
    var start: [UInt8] = [0, 0, 0, 0]
    let count = read(descriptor, &start, start.count)
    guard count >= 0 else { throw SoundError(systemWords(errno)) }
    guard count == 0 || start == Array("RIFF".utf8) else {
      throw SoundError("is there already, and is no WAV file")
    }
  }

  private func takeName() throws(SoundError) {
    guard let name = temporary else { return }
    guard rename(name, path) == 0 else { throw SoundError(systemWords(errno)) }
    temporary = nil
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let temporary { unlink(temporary) }
  }

  private static func hidden(beside path: String) -> String {
    let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
    let folder = cut.map { String(path[..<$0]) } ?? ""
    return "\(folder).airlink-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).wav"
  }

  /// Adds samples, each clipped at full scale.
  public func write(_ added: Span<Float>) throws(SoundError) {
    guard samples + added.count <= Self.maximumSamples else {
      throw SoundError("would be over 4 GiB, more than a WAV file holds")
    }
    for place in added.indices {
      let sample = UInt16(bitPattern: Sample.int16(added[place]))
      buffer.append(UInt8(truncatingIfNeeded: sample))
      buffer.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    samples += added.count
    if isLive, samples - settled >= sampleRate { return try settle() }
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Writes what there is and says so in the file's head.
  private func settle() throws(SoundError) {
    try flush()
    settled = samples
    guard isFile else { return }
    let header = Self.header(sampleRate: sampleRate, dataBytes: UInt32(samples * 2))
    let count = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard count == header.count else { throw SoundError(systemWords(errno)) }
  }

  /// Writes the rest and gives the file its name.
  public func finish() throws(SoundError) {
    try settle()
    let closed = close(descriptor)
    descriptor = -1
    guard closed == 0 else { throw SoundError(systemWords(errno)) }
    try takeName()
  }

  private func flush() throws(SoundError) {
    var start = 0
    while start < buffer.count {
      let put = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, $0.count - start)
      }
      if put < 0 {
        if errno == EINTR { continue }
        throw SoundError(systemWords(errno))
      }
      start += put
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func header(sampleRate: Int, dataBytes: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ text: String) { bytes += Array(text.utf8) }
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }
    add("RIFF")
    add(dataBytes + 36)
    add("WAVEfmt ")
    add(UInt32(16))
    add(UInt16(1))
    add(UInt16(1))
    add(UInt32(sampleRate))
    add(UInt32(sampleRate * 2))
    add(UInt16(2))
    add(UInt16(16))
    add("data")
    add(dataBytes)
    return bytes
  }

  private static let bufferBytes = 65_536
}
