/// What a test waited for did not come about, and where it waited.
public struct NeverCame: Error, CustomStringConvertible {
  public let description: String
}

/// Waits for something that other processes bring about; a minute without it is a failure.
///
/// - Throws: `NeverCame`.
@MainActor
public func eventually(
  _ what: String, file: StaticString = #fileID, line: UInt = #line, _ isTrue: @MainActor () -> Bool
) async throws {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(60)
  while !isTrue() {
    guard clock.now < end else { throw NeverCame(description: "never: \(what) (\(file):\(line))") }
    try await Task.sleep(for: .milliseconds(2))
  }
}
