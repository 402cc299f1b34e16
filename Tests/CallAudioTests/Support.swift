import CommandLine
import Foundation
import TestSupport
import Testing

@testable import CallAudio

/// The program as a user has it, in a directory of its own.
final class Bench: Sendable {
  private let directory: ScratchDirectory
  var path: String { directory.path }

  init() throws { directory = try ScratchDirectory() }

  struct Result {
    let code: ExitCode
    let output: String
    let errors: String

    var objects: [[String: Any]] {
      output.split(separator: "\n").compactMap {
        (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
      }
    }
  }

  func run(_ words: String...) -> Result { run(words) }

  func run(_ words: [String]) -> Result {
    let (output, errors) = (RecordedText(), RecordedText())
    let code = CallAudio.run(
      Invocation(words, output: output.sink(), errors: errors.sink()))
    return Result(code: code, output: output.text, errors: errors.text)
  }

  func file(_ name: String) -> String { directory.file(name) }

  func bytes(_ name: String) -> [UInt8]? { try? directory.read(name) }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try directory.write(bytes, name)
  }

  /// A 16-bit WAV file of `samples`, one after the other for all channels.
  @discardableResult
  func wav(_ samples: [Int16], _ name: String, rate: UInt32 = 24_000, channels: UInt16 = 1) throws
    -> String
  {
    var bytes: [UInt8] = []
    func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }
    bytes += Array("RIFF".utf8)
    add(UInt32(36 + samples.count * 2))
    bytes += Array("WAVEfmt ".utf8)
    add(UInt32(16))
    add(UInt16(1))
    add(channels)
    add(rate)
    add(rate * UInt32(channels) * 2)
    add(channels * 2)
    add(UInt16(16))
    bytes += Array("data".utf8)
    add(UInt32(samples.count * 2))
    for sample in samples { add(sample) }
    return try write(bytes, name)
  }

  /// The samples of a WAV file that the program wrote.
  func samples(_ name: String) -> [Int16] {
    guard let bytes = bytes(name), bytes.count > 44 else { return [] }
    return stride(from: 44, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }
}

/// Noise that is the same in every run (SplitMix64).
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ (word >> 31)) >> 11) / 0x1p52 - 1
  }

  mutating func samples(_ count: Int, amplitude: Double = 8_000) -> [Int16] {
    (0..<count).map { _ in Int16(next() * amplitude) }
  }
}
