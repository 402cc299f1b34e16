internal import CFuzzer
internal import CommandLine
internal import FuzzTargets
internal import Glibc
internal import PacketDump

/// Inputs that libFuzzer makes up: captures, through everything that airlink-packetdump does with
/// one, and the readers of everything that comes from the network inwards.
///
/// `.ci/fuzz` builds it and runs it. AIRLINK_FUZZ_TARGET names what is fed; without it AIRLINK_FUZZ_MAGIC
/// has the bytes that every capture begins with, in hexadecimal digits, so that one reader is at work
/// and not the choice between them.
enum Fuzz {
  static let target = getenv("AIRLINK_FUZZ_TARGET").flatMap {
    FuzzTarget(rawValue: String(cString: $0))
  }

  static let magic: [UInt8] = {
    guard let text = getenv("AIRLINK_FUZZ_MAGIC") else { return [] }
    let digits = Array(String(cString: text))
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
    }
  }()

  /// What is asked of the program, by the input's length.
  static let forms = [["-v", "-x"], ["--json", "-x"], ["--stats"], []]

  static func one(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    if let target {
      guard let rule = target.run(Array(bytes)) else { return 0 }
      try? TextSink.standardError.write("\(target.rawValue): \(rule)\n")
      preconditionFailure("a rule is broken")
    }
    var input = magic
    input.append(contentsOf: bytes.dropFirst(magic.count))
    let descriptor = airlink_memory_file(input, input.count)
    precondition(descriptor >= 0, "no file in memory")
    let words = forms[count % forms.count] + ["-"]
    let code = PacketDump.run(Invocation(words, output: .null, errors: .null), input: descriptor)
    precondition(code == .done || code == .failed, "an exit code of its own")
    return 0
  }
}

var count = CommandLine.argc
var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &words) { start, count in Fuzz.one(start, count) })
