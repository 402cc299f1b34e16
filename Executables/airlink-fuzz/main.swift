internal import CFuzzer
internal import CommandLine
internal import Glibc
internal import PacketDump

/// Captures that libFuzzer makes up, through everything that airlink-packetdump does with one.
///
/// `.ci/fuzz` builds it and runs it. AIRLINK_FUZZ_MAGIC has the bytes that every input begins with,
/// in hexadecimal digits, so that one reader is at work and not the choice between them.

/// A capture of these bytes as a descriptor.
private func file(_ magic: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
  let descriptor = memfd_create("capture", 0)
  precondition(descriptor >= 0, "memfd_create")
  var input = magic
  input.append(contentsOf: bytes.dropFirst(magic.count))
  let written = input.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  precondition(written == input.count && lseek(descriptor, 0, SEEK_SET) == 0, "write")
  return descriptor
}

private let magic: [UInt8] = {
  guard let text = getenv("AIRLINK_FUZZ_MAGIC") else { return [] }
  let digits = Array(String(cString: text))
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
  }
}()

private let forms = [["-v", "-x"], ["--json", "-x"], ["--stats"]]
private var turn = 0

private func one(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  turn = (turn + 1) % forms.count
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let invocation = Invocation(forms[turn] + ["-"], output: .null, errors: .null)
  let code = PacketDump.run(invocation, input: file(magic, bytes))
  precondition(code == .done || code == .failed, "an exit code of its own")
  return 0
}

var count = CommandLine.argc
var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &words) { start, count in
    MainActor.assumeIsolated { one(start, count) }
  })
