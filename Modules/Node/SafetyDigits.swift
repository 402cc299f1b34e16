internal import Identity
internal import Wire

/// The safety number of two people as it is read out.
///
/// In a file of its own, because what the front ends show bears the same name.
func safetyDigits(_ a: PublicKeys, _ b: PublicKeys) -> String { SafetyNumber(a, b).description }
