internal import Glibc

/// Where AirLink's files live (XDG Base Directory Specification 0.8).
public enum HomeDirectory {
  /// The directory of identity and contacts.
  ///
  /// That is `--home`, else `AIRLINK_HOME`, else `$XDG_DATA_HOME/airlink`, else
  /// `~/.local/share/airlink`. Empty values count as unset, relative XDG values too.
  ///
  /// - Throws: `Failure` where none of them is known.
  public static func resolve(
    option: String?, environment: [String: String]
  ) throws(Failure) -> String {
    if let option, !option.isEmpty { return option }
    if let home = environment["AIRLINK_HOME"], !home.isEmpty { return home }
    return try place("XDG_DATA_HOME", "/.local/share", environment)
  }

  /// What may be lost without harm, as the line history: `$XDG_STATE_HOME/airlink`, else
  /// `~/.local/state/airlink`.
  public static func state(environment: [String: String]) throws(Failure) -> String {
    try place("XDG_STATE_HOME", "/.local/state", environment)
  }

  private static func place(
    _ variable: String, _ fallback: String, _ environment: [String: String]
  ) throws(Failure) -> String {
    if let base = environment[variable], base.hasPrefix("/") { return base + "/airlink" }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw Failure(
        "no home directory is known: HOME is not set",
        hints: "say where AirLink's files live with --home DIR")
    }
    return (home == "/" ? "" : home) + fallback + "/airlink"
  }
}
