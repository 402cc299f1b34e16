internal import EventLoop

extension BusClient {
  /// Hears signals until cancelled, on this bus and on the one that comes after it.
  ///
  /// What a service sends before its name's owner is known here is not heard: whoever needs it looks
  /// at the service's state when `watchName` tells of it.
  public func subscribe(
    _ rule: SignalRule, _ heard: @escaping @MainActor (Signal) -> Void
  ) -> Token {
    let token = nextToken()
    let isUnique = rule.sender.utf8.first == UInt8(ascii: ":") || rule.sender == busName
    let name = isUnique ? nil : watchName(rule.sender) { _ in }
    subscriptions[token.number] = Subscription(rule: rule, name: name, heard: heard)
    add(rule)
    return token
  }

  func cancelSubscription(_ number: UInt64) {
    guard let subscription = subscriptions.removeValue(forKey: number) else { return }
    remove(subscription.rule)
    if let name = subscription.name { cancel(name) }
  }

  // MARK: Rules

  /// Tells the bus of a rule when it is the first to want it.
  private func add(_ rule: SignalRule) {
    guard let text = rule.text else { return }
    rules[text, default: 0] += 1
    if rules[text] == 1, isConnected { tell("AddMatch", text) }
  }

  private func remove(_ rule: SignalRule) {
    guard let text = rule.text, let count = rules[text] else { return }
    rules[text] = count > 1 ? count - 1 : nil
    if count == 1, isConnected { tell("RemoveMatch", text) }
  }

  func tell(_ member: String, _ rule: String) {
    place(
      MethodCall(busName, busPath, busName, member, [.string(rule)]), timeout: Self.defaultTimeout
    ) { [weak self] result in
      // The bus has a limit on rules; whoever waits for signals then has to see by other means.
      if case .failure(.refused) = result, member == "AddMatch" { self?.refusedRules += 1 }
    }
  }

  // MARK: Hearing

  func heard(_ message: Message) {
    guard let path = message.path else { return }
    let (interface, member, sender) = (message.interface, message.member, message.sender)
    let wanted = subscriptions.filter { _, subscription in
      subscription.rule.matches(path: path, interface: interface, member: member)
        && isSent(by: subscription.rule.sender, sender)
    }
    // Before that nothing of it is read: anybody may send anything.
    guard !wanted.isEmpty, let arguments = try? message.arguments() else { return }
    let signal = Signal(
      sender: sender, path: path, interface: interface, member: member, arguments: arguments)
    for number in wanted.keys.sorted() {
      // One may take back another.
      guard let subscription = subscriptions[number] else { continue }
      if let first = subscription.rule.firstArgument, arguments.first?.string != first { continue }
      subscription.heard(signal)
    }
  }

  private func isSent(by name: String, _ sender: String) -> Bool {
    if name == sender { return true }
    guard let owner = names[name]?.owner ?? nil else { return false }
    return owner == sender
  }

  // MARK: Names

  /// Tells who owns a name: once when that is known, and whenever it changes; nil is nobody.
  ///
  /// Without a bus nobody owns anything.
  public func watchName(
    _ name: String, _ changed: @escaping @MainActor (String?) -> Void
  ) -> Token {
    let token = nextToken()
    watchedNames[token.number] = name
    let isFirst = names[name] == nil
    names[name, default: WatchedName()].watchers[token.number] = changed
    if isFirst {
      names[name]?.rule = subscribe(Self.ownerRule(name)) { [weak self] signal in
        guard signal.arguments.count == 3, let owner = signal.arguments[2].string else { return }
        self?.ownerChanged(name, owner.isEmpty ? nil : owner)
      }
      if isConnected { lookUp(name) }
    } else if names[name]?.owner != nil {
      EventLoop.main.nextTurn { [weak self] in
        guard let self, let owner = self.names[name]?.owner else { return }
        self.names[name]?.watchers[token.number]?(owner)
      }
    }
    return token
  }

  /// Who owns a name that is being watched; nil is nobody, or not known yet.
  public func owner(of name: String) -> String? { names[name]?.owner ?? nil }

  /// Whether it is known who owns a name that is being watched.
  public func knowsOwner(of name: String) -> Bool { names[name]?.owner != nil }

  private static func ownerRule(_ name: String) -> SignalRule {
    SignalRule(
      sender: busName, interface: busName, member: "NameOwnerChanged", path: busPath,
      firstArgument: name)
  }

  func lookUp(_ name: String) {
    if let lookup = names[name]?.lookup { cancelCall(lookup.number) }
    names[name]?.lookup = place(
      MethodCall(busName, busPath, busName, "GetNameOwner", [.string(name)]),
      timeout: Self.defaultTimeout
    ) { [weak self] result in
      self?.names[name]?.lookup = nil
      switch result {
      case .success(let values): self?.ownerChanged(name, values.first?.string)
      case .failure(.refused): self?.ownerChanged(name, nil)
      // The bus is gone, which is told in its own way.
      case .failure: break
      }
    }
  }

  func ownerChanged(_ name: String, _ owner: String?) {
    guard let watched = names[name], watched.owner != .some(owner) else { return }
    names[name]?.owner = .some(owner)
    for number in watched.watchers.keys.sorted() { names[name]?.watchers[number]?(owner) }
  }

  func cancelName(_ number: UInt64) {
    guard let name = watchedNames.removeValue(forKey: number) else { return }
    names[name]?.watchers[number] = nil
    guard let watched = names[name], watched.watchers.isEmpty else { return }
    names[name] = nil
    if let lookup = watched.lookup { cancel(lookup) }
    if let rule = watched.rule { cancel(rule) }
  }
}
