internal import Glibc

/// Why the Wi-Fi link cannot start.
public enum WiFiLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  case portTaken(ListenAddress)
  /// The address is not one of this machine.
  case noSuchAddress(ListenAddress)
  /// The port needs rights that this process has not.
  case notPermitted(ListenAddress)
  case noSuchInterface(String)
  case tooManyPeers(limit: Int)
  /// A system call failed: its name and errno.
  case system(String, CInt)

  public var description: String {
    switch self {
    case .portTaken(let address):
      "\(address) is taken by another program; choose another with --listen, or 0 for any"
    case .noSuchAddress(let address):
      "\(address) is no address of this machine; see `ip address`"
    case .notPermitted(let address):
      "\(address) may not be listened at by this user; choose a port over 1023"
    case .noSuchInterface(let name): "there is no interface '\(name)'; see `ip link`"
    case .tooManyPeers(let limit): "more than \(limit) peers are named"
    case .system(let call, let error): "\(call): \(errorText(error))"
    }
  }
}

/// The system's text for an errno.
func errorText(_ error: CInt) -> String { String(cString: strerror(error)) }
