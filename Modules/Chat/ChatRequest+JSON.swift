internal import CommandLine
internal import Wire

/// A line that is no command a node takes.
public struct RefusedLine: Error, Hashable, Sendable {
  public let error: ChatError
  /// The line's `ref`, where it could be read.
  public let ref: String?
}

extension ChatRequest {
  /// Bytes of a `ref`: the node keeps it for as long as a message waits.
  public static let maximumRefLength = 256

  /// Reads one line of the JSON contract; fields it does not know are passed over.
  public init(json line: LineSplitter.Line) throws(RefusedLine) {
    let fields = try Self.object(line)
    var ref: String?
    switch fields["ref"] {
    case nil, .null?: break
    case .string(let text)? where text.utf8.count <= Self.maximumRefLength: ref = text
    default:
      throw RefusedLine(
        error: .badCommand("ref must be a text of at most \(Self.maximumRefLength) bytes"),
        ref: nil)
    }
    do throws(ChatError) {
      self.init(try JSONCommand(fields: fields).command().checked(), ref: ref)
    } catch {
      throw RefusedLine(error: error, ref: ref)
    }
  }

  private static func object(_ line: LineSplitter.Line) throws(RefusedLine) -> JSONObject {
    func refused(_ why: String) -> RefusedLine {
      RefusedLine(error: .badCommand(why), ref: nil)
    }
    switch line {
    case .tooLong: throw refused("a line over \(LineSplitter.maximumLength) bytes was skipped")
    case .notUTF8: throw refused("the line is not UTF-8")
    case .text(let text):
      let value: JSONValue
      do throws(JSONError) {
        value = try JSONReader.parse(text)
      } catch {
        throw refused("the line is no JSON object: \(error)")
      }
      guard let object = value.object else { throw refused("the line is no JSON object") }
      return object
    }
  }
}

/// Reads the fields of one command.
private struct JSONCommand {
  let fields: JSONObject

  func command() throws(ChatError) -> ChatCommand {
    switch try text("cmd") {
    case "send": return .send(to: try recipient("to"), text: try text("text"))
    case "call": return .call(try recipient("to"))
    case "answer": return .answer(try nonce())
    case "decline": return .decline(try nonce())
    case "hangup": return .hangUp(try nonce())
    case "mute": return .mute(try flag("on", orElse: true))
    case "accept":
      return .accept(try number("number"), try fingerprint("fingerprint"))
    case "verify":
      return .verify(try recipient("number"), same: try flag("same", orElse: false))
    case "block": return .block(try recipient("number"), try flag("on", orElse: true))
    case "peers": return .peers
    case "links": return .links
    case "stats": return .stats
    case "announce": return .announce
    case "quit": return .quit
    case let other:
      throw .badCommand("there is no command \"\(DisplayText(other).truncated(toColumns: 40))\"")
    }
  }

  private func text(_ name: String) throws(ChatError) -> String {
    guard let text = fields[name]?.string else {
      throw .badCommand("\(name) is missing or no text")
    }
    return text
  }

  private func flag(_ name: String, orElse fallback: Bool) throws(ChatError) -> Bool {
    guard let value = fields[name] else { return fallback }
    guard let flag = value.bool else { throw .badCommand("\(name) must be true or false") }
    return flag
  }

  /// The call that is meant, where the command says it.
  private func nonce() throws(ChatError) -> CallNonce? {
    switch fields["nonce"] {
    case nil, .null?: return nil
    case .string(let text)?:
      guard let nonce = CallNonce(text.utf8) else { break }
      return nonce
    default: break
    }
    throw .badCommand("nonce must be the eight letters and digits of a call event")
  }

  private func recipient(_ name: String) throws(ChatError) -> Recipient {
    try Recipient(parsing: try text(name))
  }

  private func number(_ name: String) throws(ChatError) -> Number {
    let text = try text(name)
    guard case .number(let number) = try Recipient(parsing: text) else {
      throw .badNumber(text)
    }
    return number
  }

  private func fingerprint(_ name: String) throws(ChatError) -> Fingerprint? {
    switch fields[name] {
    case nil, .null?: return nil
    case .string(let hex)?:
      guard let fingerprint = Fingerprint(hex: hex) else {
        throw .badCommand("\(name) must be 16 hexadecimal digits")
      }
      return fingerprint
    default: throw .badCommand("\(name) must be 16 hexadecimal digits")
    }
  }
}
