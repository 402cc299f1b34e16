/// What a command line asks for.
public enum Request: Sendable {
  case run(Arguments)
  /// The help of the command at the end of `path`.
  case help(path: [String])
  case version
  case completions(Shell)
}

extension Command {
  /// Reads a command line, the program's own name not among `words`.
  ///
  /// Options may stand before and after operands and subcommands; `--` ends them; `-` is an
  /// operand. The first of `--help`, `--version` and `--completions` ends the reading.
  public func parse(_ words: some Sequence<String>) throws(UsageError) -> Request {
    var parser = ArgumentParser(root: self, words: Array(words))
    return try parser.run()
  }
}

/// One reading of a command line: tokens are matched against declarations and become values.
struct ArgumentParser {
  let root: Command
  let words: [String]
  private var next = 0
  private var command: Command
  private var path: [String] = []
  /// What is known here: the command's own options and those of all above it.
  private var options: [Declaration]
  private var exclusive: [[Declaration]]
  private var operandWords: [String] = []
  private var values: [String: [any Sendable]] = [:]
  private var optionsEnded = false

  init(root: Command, words: [String]) {
    self.root = root
    self.words = words
    command = root
    options = root.options + Common.always
    exclusive = root.exclusive.map { $0.map(\.declaration) }
  }

  mutating func run() throws(UsageError) -> Request {
    while next < words.count {
      let word = words[next]
      next += 1
      if let request = try take(word) { return request }
    }
    try finish()
    return .run(Arguments(path: path, values: values))
  }

  private mutating func take(_ word: String) throws(UsageError) -> Request? {
    if optionsEnded || word == "-" || !word.hasPrefix("-") {
      try takeOperand(word)
      return nil
    }
    if word == "--" {
      optionsEnded = true
      return nil
    }
    return word.hasPrefix("--") ? try takeLong(word) : try takeShort(word)
  }

  private mutating func takeOperand(_ word: String) throws(UsageError) {
    guard !command.subcommands.isEmpty else {
      operandWords.append(word)
      return
    }
    let names = command.subcommands.map(\.name)
    guard let found = command.subcommands.first(where: { $0.name == word }) else {
      let nearest = Nearest.word(to: word, among: names).map { "did you mean \($0)?" }
      throw UsageError(
        "no command \(quoted(word)); \(nearest ?? "there is \(names.joined(separator: ", "))")")
    }
    command = found
    path.append(found.name)
    options += found.options
    exclusive += found.exclusive.map { $0.map(\.declaration) }
  }

  private mutating func takeLong(_ word: String) throws(UsageError) -> Request? {
    let body = word.dropFirst(2)
    let name = String(body.prefix { $0 != "=" })
    let attached = body.count > name.count ? String(body.dropFirst(name.count + 1)) : nil
    guard let option = options.first(where: { $0.name == name }) else {
      throw unknown("--\(name)", name)
    }
    return try take(option, as: "--\(name)", attached: attached)
  }

  private mutating func takeShort(_ word: String) throws(UsageError) -> Request? {
    var letters = word.dropFirst()
    // "-listen" was meant to be "--listen", not "-l isten".
    let name = String(letters.prefix { $0 != "=" })
    if name.count > 1, options.contains(where: { $0.name == name }) { throw unknown(word, name) }
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw Nearest.word(to: name, among: options.map(\.name)) == nil
          ? unknown("-\(letter)", String(letter)) : unknown(word, name)
      }
      if option.kind == .flag {
        if let request = try take(option, as: "-\(letter)", attached: nil) { return request }
        continue
      }
      let rest = letters.isEmpty ? nil : String(letters)
      return try take(option, as: "-\(letter)", attached: rest)
    }
    return nil
  }

  private func unknown(_ spelling: String, _ name: String) -> UsageError {
    let nearest = Nearest.word(to: name, among: options.map(\.name))
    let advice = nearest.map { "did you mean --\($0)?" } ?? "see \(helpWords)"
    return UsageError("no option \(quoted(spelling)); \(advice)")
  }

  private var helpWords: String { ([root.name] + path + ["--help"]).joined(separator: " ") }

  private mutating func take(
    _ option: Declaration, as spelling: String, attached: String?
  ) throws(UsageError) -> Request? {
    if option.kind == .flag {
      guard attached == nil else { throw UsageError("\(spelling) takes no value") }
      if option.name == Common.help.declaration.name { return .help(path: path) }
      if option.name == Common.version.declaration.name { return .version }
      values[option.spelling, default: []].append(true)
      return nil
    }
    // Not `??`: its right side would throw without a type.
    let text = if let attached { attached } else { try valueAfter(option, spelling) }
    let value = try parse(text, for: option, as: spelling)
    if option.name == Common.completions.declaration.name, let shell = value as? Shell {
      return .completions(shell)
    }
    guard values[option.spelling, default: []].count < option.occurrence.maximum else {
      throw UsageError("\(spelling) is given twice")
    }
    values[option.spelling, default: []].append(value)
    return nil
  }

  /// The next word, unless it is itself an option we know: then the value was forgotten.
  private mutating func valueAfter(
    _ option: Declaration, _ spelling: String
  ) throws(UsageError) -> String {
    guard next < words.count else {
      throw UsageError("\(spelling) wants a value: \(spelling) \(option.metavariable)")
    }
    let word = words[next]
    let name = String(word.dropFirst(2).prefix { $0 != "=" })
    if word == "--" || word.hasPrefix("--") && options.contains(where: { $0.name == name }) {
      throw UsageError(
        "\(spelling) wants a value: \(spelling) \(option.metavariable), before \(quoted(word))")
    }
    next += 1
    return word
  }

  private func parse(
    _ text: String, for declaration: Declaration, as spelling: String
  ) throws(UsageError) -> any Sendable {
    do throws(Refusal) {
      return try declaration.parse(text)
    } catch {
      throw UsageError("\(spelling) \(error.reason)")
    }
  }

  private mutating func finish() throws(UsageError) {
    guard command.subcommands.isEmpty else {
      let names = command.subcommands.map(\.name).joined(separator: ", ")
      throw UsageError("say what to do: \(names); see \(helpWords)")
    }
    try assignOperands()
    for option in options where option.occurrence.minimum > 0 && values[option.spelling] == nil {
      throw UsageError("\(option.spelling) \(option.metavariable) is missing; see \(helpWords)")
    }
    for group in exclusive {
      let given = group.filter { values[$0.spelling] != nil }.map(\.spelling)
      if given.count > 1 {
        throw UsageError("\(given.joined(separator: " and ")) exclude each other; give one of them")
      }
    }
  }

  /// Gives every operand its words: each takes what it may and leaves what the later ones need.
  private mutating func assignOperands() throws(UsageError) {
    var rest = operandWords[...]
    let required = command.operands.filter { $0.occurrence.minimum > 0 }
    if rest.count < required.count {
      throw UsageError("\(required[rest.count].name) is missing; see \(helpWords)")
    }
    var needed = required.count
    for operand in command.operands {
      needed -= operand.occurrence.minimum
      let count = min(operand.occurrence.maximum, rest.count - needed)
      for word in rest.prefix(count) {
        values[operand.spelling, default: []].append(
          try parse(word, for: operand, as: operand.name))
      }
      rest = rest.dropFirst(count)
    }
    if let first = rest.first {
      throw UsageError("\(quoted(first)) is one word too many; see \(helpWords)")
    }
  }
}
