internal import Glibc

/// A descriptor that came in a message or is to go out in one; closed when nobody holds it any more.
///
/// Sendable, though the compiler cannot see it: the number changes in `take` alone, which the main
/// actor guards, and otherwise once more when nobody else holds the object.
public final class FileDescriptor: @unchecked Sendable {
  /// -1 when it was taken.
  public private(set) var number: CInt

  /// Takes over `number`.
  public init(_ number: CInt) { self.number = number }

  deinit { if number >= 0 { close(number) } }

  /// Hands the descriptor over: to be closed by the caller from now on.
  @MainActor
  public func take() -> CInt {
    defer { number = -1 }
    return number
  }
}

extension FileDescriptor: Hashable {
  public static func == (one: FileDescriptor, other: FileDescriptor) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
