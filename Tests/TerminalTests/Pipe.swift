import Dispatch
import Glibc
import Testing

/// A pipe whose other end is a program that the test plays.
@MainActor
final class TestPipe {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32
  private(set) var received: [UInt8] = []
  private var source: (any DispatchSourceRead)?

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  var lines: [String] {
    String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(writeEnd, bytes, bytes.count) == bytes.count)
  }

  /// Reads everything that comes from here on.
  func listen() {
    let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .main)
    let end = readEnd
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(end, &buffer, buffer.count)
        if count > 0 { self?.received += buffer[..<count] } else { self?.stopListening() }
      }
    }
    source.resume()
    self.source = source
  }

  func stopListening() {
    source?.cancel()
    source = nil
  }

  /// How many bytes wait to be read.
  var waiting: Int {
    var count: Int32 = 0
    _ = ioctl(readEnd, UInt(FIONREAD), &count)
    return Int(count)
  }

  func closeReadEnd() {
    stopListening()
    close(readEnd)
    readEnd = -1
  }

  func closeWriteEnd() {
    close(writeEnd)
    writeEnd = -1
  }

  func closeAll() {
    closeReadEnd()
    closeWriteEnd()
  }
}
