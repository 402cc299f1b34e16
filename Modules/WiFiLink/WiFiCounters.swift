internal import Link

/// What happened on all links so far, for `/stats`.
struct WiFiCounters: Sendable {
  var packetsIn = 0
  var packetsOut = 0
  var bytesIn = 0
  var bytesOut = 0
  /// Of links that are gone; those that live count their own.
  var shed = 0
  var shedVoice = 0
  var checksumFailures = 0
  var garbage = 0
  /// Connections closed before those above knew of them.
  var refused = 0
  var dialsFailed = 0
  var closed = LinkCloseCounters()
  /// Times there was no descriptor left for a connection.
  var exhausted = 0
}
