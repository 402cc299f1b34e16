internal import CALSA
internal import Glibc

/// A sound device as libasound's configuration lists it.
public struct CardDevice: Hashable, Sendable {
  /// What programs open it by.
  public let name: String
  /// In words; several lines are made one.
  public let description: String
  public let canCapture: Bool
  public let canPlay: Bool

  /// The most that are listed.
  static let most = 256

  /// All that there are, in libasound's order; that one is listed does not mean that it works.
  public static func all() -> [CardDevice] {
    airlink_alsa_be_quiet()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
    defer { snd_device_name_free_hint(hints) }
    var found: [CardDevice] = []
    var place = hints
    while let hint = place.pointee, found.count < most {
      place += 1
      guard let name = text(hint, "NAME") else { continue }
      // Nil for both ways.
      let way = text(hint, "IOID")
      let words = (text(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
      found.append(
        CardDevice(
          name: name, description: words, canCapture: way != "Output", canPlay: way != "Input"))
    }
    return found
  }

  private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// The version of libasound that runs.
  public static var libraryVersion: String {
    snd_asoundlib_version().map { String(cString: $0) } ?? "unknown"
  }
}
