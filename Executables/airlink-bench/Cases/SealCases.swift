/// Sealing and opening a text that fills half of its bucket, against the bare libsodium calls.
enum SealCases {
  static func seal(bucket: Int) -> Subject {
    Subject(
      summary: "seal a text into a \(bucket)-byte bucket", limit: "the bare libsodium calls"
    ) { duration in
      let text = try SealedText(bucket: bucket)
      let bare = try text.bare()
      let times = Turns(
        subject: { count in for _ in 0..<count { keep(try? text.seal()) } },
        limit: { bare.seal($0) }
      ).measure(for: duration)
      return Measurement(subject: times.subject, limit: times.limit)
    }
  }

  static func open(bucket: Int) -> Subject {
    Subject(
      summary: "open a text out of a \(bucket)-byte bucket", limit: "the bare libsodium calls"
    ) { duration in
      let text = try SealedText(bucket: bucket)
      let bare = try text.bare()
      let payload = try text.seal()
      let times = Turns(
        subject: { count in for _ in 0..<count { keep(try? text.open(payload)) } },
        limit: { bare.open($0) }
      ).measure(for: duration)
      return Measurement(subject: times.subject, limit: times.limit)
    }
  }
}
