internal import CSodium

/// Starts libsodium; every use of it in this module and in Seal comes through here first.
///
/// `sodium_init` fails only where the system gives no randomness at all, and nothing that AirLink
/// does is safe there.
package enum Sodium {
  private static let started: Void = {
    precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
  }()

  package static func start() { _ = started }
}
