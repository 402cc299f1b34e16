/// The version of every AirLink program, module and page.
public let airLinkVersion = "0.1.0"

/// A library a program was built with or found, as `--version` names it.
public struct Library: Sendable, Equatable {
  public let name: String
  public let version: String

  public init(_ name: String, _ version: String) {
    self.name = name
    self.version = version
  }
}
