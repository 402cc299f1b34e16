internal import CommandLine
internal import Wire

extension ChatEvent {
  /// The event as one line of the JSON contract, its newline at the end.
  public var jsonLine: String { json.line }

  private var json: JSONObject {
    switch self {
    case .ready(let ready): return ready.json
    case .link(let link): return JSONObject("link", link.fields)
    case .peer(let peer): return JSONObject("peer", peer.fields)
    case .message(let message): return message.json
    case .state(let state): return state.json
    case .call(let call): return call.json
    case .quality(let quality): return quality.json
    case .peers(let peers, let ref): return .list("peers", peers.map(\.fields), ref)
    case .links(let links, let ref): return .list("links", links.map(\.fields), ref)
    case .stats(let statistics, let ref): return .list("stats", statistics.map(\.fields), ref)
    case .safety(let safety, let ref):
      var object = JSONObject("safety")
      object["ref"] = ref.map(JSONValue.string)
      object["number"] = .string("\(safety.peer.number)")
      object["fingerprint"] = .string(safety.peer.hex)
      object["digits"] = .string(safety.digits)
      object["verified"] = .bool(safety.isVerified)
      return object
    case .warning(let warning): return warning.json
    case .error(let error, let ref): return error.json(ref: ref)
    }
  }
}

extension JSONObject {
  /// An object whose first field says what it is.
  fileprivate init(_ event: String, _ fields: JSONObject = JSONObject()) {
    self = ["event": .string(event)]
    for field in fields.fields { self[field.name] = field.value }
  }

  fileprivate static func list(_ event: String, _ items: [JSONObject], _ ref: String?)
    -> JSONObject
  {
    var object = JSONObject(event)
    object["ref"] = ref.map(JSONValue.string)
    object[event] = .array(items.map(JSONValue.object))
    return object
  }
}

extension Ready {
  fileprivate var json: JSONObject {
    [
      "event": "ready", "number": .string("\(fingerprint.number)"),
      "fingerprint": .string(fingerprint.hex), "name": .string(name), "port": .count(port),
      "temporary": .bool(temporary),
    ]
  }
}

extension LinkStatus {
  fileprivate var fields: JSONObject {
    var object: JSONObject = [
      "state": .string(isUp ? "up" : "down"), "link": .string(link),
      "transport": .string(transport),
    ]
    object["number"] = number.map { .string("\($0)") }
    return object
  }
}

extension Peer {
  /// What is only there when it says something is left out otherwise.
  fileprivate var fields: JSONObject {
    var object: JSONObject = [
      "number": .string("\(number)"), "name": .string(name), "direct": .bool(isDirect),
      "new": .bool(isNew), "fingerprint": .string(fingerprint.hex),
    ]
    object["heard"] = heard.map { .string(RFC3339.format(milliseconds: $0.milliseconds)) }
    if isVerified { object["verified"] = true }
    if isBlocked { object["blocked"] = true }
    if contradictsPin { object["keysChanged"] = true }
    return object
  }
}

extension IncomingMessage {
  fileprivate var json: JSONObject {
    [
      "event": "message", "id": .string(id.hex), "from": .string("\(from.number)"),
      "name": .string(name), "text": .string(text),
      "time": .string(RFC3339.format(milliseconds: time.milliseconds)),
      "fingerprint": .string(from.hex),
    ]
  }
}

extension DeliveryStatus {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["event": "state", "id": .string(id.hex)]
    object["ref"] = ref.map(JSONValue.string)
    switch state {
    case .waiting: object["state"] = "waiting"
    case .sent: object["state"] = "sent"
    case .delivered: object["state"] = "delivered"
    case .failed(let reason):
      object["state"] = "failed"
      object["reason"] = .string(reason.rawValue)
    }
    return object
  }
}

extension CallStatus {
  fileprivate var json: JSONObject {
    let word =
      switch state {
      case .calling: "calling"
      case .ringing: "ringing"
      case .connected: "connected"
      case .ended: "ended"
      }
    var object: JSONObject = [
      "event": "call", "state": .string(word), "number": .string("\(peer.number)"),
      "nonce": .string("\(nonce)"),
    ]
    if case .ended(let reason) = state { object["reason"] = .string(reason.rawValue) }
    object["road"] = road.map { .string($0.rawValue) }
    if let summary {
      object["seconds"] = .count(Int(clamping: summary.length.wholeMilliseconds / 1_000))
      object["directPercent"] = .count(summary.directPercent)
      object["lossPercent"] = summary.lossPercent.map { .count($0) }
      object["worstBufferMs"] = summary.worstBufferMilliseconds.map { .count($0) }
    }
    return object
  }
}

extension CallQuality {
  fileprivate var json: JSONObject {
    [
      "event": "quality", "number": .string("\(peer.number)"), "road": .string(road.rawValue),
      "lossPercent": .count(lossPercent), "jitterMs": .count(jitterMilliseconds),
      "bufferMs": .count(bufferMilliseconds), "echoRemovedDB": .count(echoRemovedDB),
      "cpuPercent": .count(cpuPercent),
    ]
  }
}

extension Statistic {
  fileprivate var fields: JSONObject {
    var object: JSONObject = ["name": .string(name), "value": .count(value)]
    object["limit"] = limit.map { .count($0) }
    return object
  }
}

extension ChatWarning {
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "event": "warning", "code": .string(code), "message": .string(message),
    ]
    switch self {
    case .clock(let ahead): object["aheadMs"] = .count(ahead.wholeMilliseconds)
    case .temporaryIdentity: break
    case .keysChanged(let kept, let seen, _):
      object["number"] = .string("\(seen.number)")
      object["fingerprints"] = [.string(kept.hex), .string(seen.hex)]
    case .callQuiet(let peer): object["number"] = .string("\(peer.number)")
    case .ageLimit(let id): object["id"] = .string(id.hex)
    case .sound(let code, _): object["sound"] = .string(code)
    }
    return object
  }
}

extension ChatError {
  fileprivate func json(ref: String?) -> JSONObject {
    var object: JSONObject = [
      "event": "error", "code": .string(code), "message": .string(message),
    ]
    object["ref"] = ref.map(JSONValue.string)
    if case .ambiguous(_, let fingerprints) = self {
      object["fingerprints"] = .array(fingerprints.map { .string($0.hex) })
    }
    return object
  }
}
