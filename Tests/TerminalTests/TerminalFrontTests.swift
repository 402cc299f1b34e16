import Chat
import Glibc
import Testing
import Wire

@testable import Terminal

/// In a real pseudo-terminal, with libedit and the descriptors of a shell.
@Suite("Terminal front end", .serialized)
@MainActor
struct TerminalFrontTests {
  @Test("who is known is asked for, and the prompt stands")
  func start() async throws {
    let scene = try TerminalScene()
    #expect(scene.requests == [ChatRequest(.peers, ref: "known")])
    try await eventually { scene.shown == [">"] }
    #expect(!scene.terminal.isCooked)
    #expect(scene.terminal.screen.privateModes == ["?2004", "?1004"])
    scene.front.stop()
    try await eventually { scene.terminal.screen.privateModes.isEmpty }
    #expect(scene.terminal.isCooked)
    #expect(scene.terminal.screen.complaints == [])
    scene.terminal.closeAll()
  }

  @Test("a message that arrives while a wrapped line is typed leaves that line whole")
  func message() async throws {
    let scene = try TerminalScene(columns: 30, rows: 20)
    let typed = "one two three four five six seven 漢字 eight e\u{301}nd"
    try await scene.type(typed, until: " seven 漢字 eight e\u{301}nd")
    // Into the middle, where every row after it moves.
    scene.terminal.type("\u{1B}b\u{1B}b\u{1B}b")
    try await eventually { scene.terminal.screen.column == 7 }
    let cursor = (scene.terminal.screen.row, scene.terminal.screen.column)
    for text in ["short", "long enough to be folded into several rows of the transcript", "a\nb"] {
      scene.front.show(.text(text))
    }
    try await eventually { scene.shown.contains { $0.hasSuffix("| b") } }
    let rows = scene.shown
    #expect(rows.suffix(2) == ["> one two three four five six", " seven 漢字 eight e\u{301}nd"])
    #expect(scene.terminal.screen.column == cursor.1)
    #expect(scene.terminal.screen.wraps == 0)
    scene.terminal.type("X\r")
    try await eventually { scene.shown.last == ">" }
    #expect(scene.shown.contains { $0.contains("this text goes") })
    try scene.end()
  }

  @Test("a text goes to the open conversation when Enter is pressed, and comes back with its state")
  func send() async throws {
    let scene = try TerminalScene(columns: 60)
    try await scene.type("/to Alice\r", until: "Alice [E492-6D25]>")
    scene.requests = []
    scene.terminal.type("hellö 漢字\r")
    try await eventually { !scene.requests.isEmpty }
    #expect(
      scene.requests == [
        ChatRequest(.send(to: .fingerprint(.alice), text: "hellö 漢字"), ref: "m1")
      ])
    scene.front.show(.state(DeliveryStatus(id: MessageID(), ref: "m1", state: .sent)))
    try await eventually {
      scene.shown.contains { $0.hasSuffix("> Alice [E492-6D25] #1 (sent): hellö 漢字") }
    }
    #expect(scene.shown.last == "Alice [E492-6D25]>")
    try scene.end()
  }

  @Test("keys edit the line: words, ends, whole characters, kill and yank")
  func editing() async throws {
    let scene = try TerminalScene()
    try await scene.type("one two", until: "> one two")
    try await scene.type("\u{1}X\u{5}Y", until: "> Xone twoY")
    try await scene.type("\u{17}", until: "> Xone")
    try await scene.type("\u{15}", until: ">")
    try await scene.type("\u{19}\u{19}", until: "> Xone Xone")
    try await scene.type("\u{15}e\u{301}👨‍👩‍👧", until: "> e\u{301}👨\u{200D}👩\u{200D}👧")
    try await scene.type("\u{7F}", until: "> e\u{301}")
    try await scene.type("\u{1B}[Da", until: "> ae\u{301}")
    try await scene.type("\u{1B}[3~", until: "> a")
    try await scene.type("\u{1B}[H漢\u{1B}[Fb", until: "> 漢ab")
    try await scene.type("\u{15}un e\u{301}te\u{301} ici", until: "> un e\u{301}te\u{301} ici")
    try await scene.type("\u{1B}b\u{1B}bX", until: "> un Xe\u{301}te\u{301} ici")
    try await scene.type("\u{1B}[1;5CY", until: "> un Xe\u{301}te\u{301}Y ici")
    #expect(scene.terminal.screen.wraps == 0)
    try scene.end()
  }

  @Test("lines come back by the arrows, and the draft at last")
  func history() async throws {
    let scene = try TerminalScene(columns: 70)
    scene.terminal.type("/links\r/stats\rdraft")
    try await eventually { scene.shown.last == "> draft" }
    try await scene.type("\u{1B}[A", until: "> /stats")
    try await scene.type("\u{10}", until: "> /links")
    let bells = scene.terminal.screen.bells
    scene.terminal.type("\u{1B}[A")
    try await eventually { scene.terminal.screen.bells > bells }
    try await scene.type("\u{1B}[B\u{e}", until: "> draft")
    try await scene.type("\u{15}in\u{12}", until: "> /links")
    try scene.end()
  }

  @Test("a long line comes back from the history whole")
  func longHistory() async throws {
    let scene = try TerminalScene(columns: 80, rows: 24)
    _ = try await scene.type("/to Alice\r", until: "Alice [E492-6D25]>")
    let text = String(repeating: "0123456789", count: 300)
    scene.terminal.type(text)
    scene.terminal.type("\r")
    try await eventually { scene.requests.count == 2 }
    scene.terminal.type("\u{1B}[A\u{1B}[B\u{1B}[A\r")
    try await eventually { scene.requests.count == 3 }
    #expect(scene.requests.last?.command == .send(to: .fingerprint(.alice), text: text))
    try scene.end()
  }

  @Test("Tab completes commands and names, and lists what there is")
  func completion() async throws {
    let scene = try TerminalScene(columns: 70)
    try await scene.type("/t\t", until: "> /to")
    try await scene.type("al\t", until: "> /to Alice")
    try await scene.type("\u{15}/an\t", until: "> /an")
    try await eventually { scene.shown.contains { $0.hasSuffix("answer   announce") } }
    let bells = scene.terminal.screen.bells
    scene.terminal.type("\u{15}text\t")
    try await eventually { scene.terminal.screen.bells > bells }
    try scene.end()
  }

  @Test("^C clears the line, and on an empty one says how to leave; ^D there leaves")
  func leaving() async throws {
    let scene = try TerminalScene(columns: 60)
    try await scene.type("abc\u{3}", until: ">")
    scene.terminal.type("\u{3}")
    try await eventually { scene.shown.contains { $0.hasSuffix("/quit leaves, and so does ^D") } }
    #expect(scene.ends.isEmpty)
    try await scene.type("xy\u{1}\u{4}", until: "> y")
    scene.terminal.type("\u{4}\u{4}")
    try await eventually { scene.ends == [.endOfInput] }
    try scene.end()
  }

  @Test("a pasted text of several lines stays in the line until Enter, and is one message")
  func paste() async throws {
    let scene = try TerminalScene(columns: 60)
    try await scene.type("/to Alice\r", until: "Alice [E492-6D25]>")
    scene.requests = []
    scene.terminal.type("\u{1B}[200~/quit\r/block Bob\u{1B}[31m\r\n\u{1B}[201~")
    try await eventually {
      scene.shown.suffix(2) == ["Alice [E492-6D25]> /quit", "/block Bob[31m"]
    }
    #expect(scene.requests.isEmpty)
    scene.terminal.type("\r")
    try await eventually { !scene.requests.isEmpty }
    #expect(
      scene.requests.map(\.command)
        == [.send(to: .fingerprint(.alice), text: "/quit\n/block Bob[31m")])
    try scene.end()
  }

  @Test("a paste that no message takes is refused whole")
  func longPaste() async throws {
    let scene = try TerminalScene(columns: 60)
    try await scene.type("before", until: "> before")
    try await scene.terminal.typeAll(
      "\u{1B}[200~" + String(repeating: "x", count: 20_000) + "\u{1B}[201~")
    try await eventually { scene.shown.contains { $0.contains("too long for one message") } }
    #expect(scene.shown.last == "> before")
    try scene.end()
  }

  @Test("the terminal that comes to the front is told to the node")
  func focus() async throws {
    let scene = try TerminalScene()
    scene.terminal.type("a\u{1B}[Ob\u{1B}[Ic")
    try await eventually { scene.shown.last == "> abc" }
    #expect(scene.focuses == 1)
    try scene.end()
  }

  @Test("a width that changes draws the line anew")
  func resize() async throws {
    let scene = try TerminalScene(columns: 40)
    try await scene.type(
      String(repeating: "ab ", count: 20), until: "b ab ab ab ab ab ab ab")
    scene.terminal.resize(columns: 20, rows: 16)
    scene.terminal.screen = ScreenEmulator(columns: 20, rows: 16)
    kill(getpid(), SIGWINCH)
    try await eventually { scene.shown.count == 4 }
    #expect(scene.terminal.screen.wraps == 0)
    scene.front.show(.text("hello"))
    try await eventually { scene.shown.contains { $0.hasSuffix("hello") } }
    #expect(scene.terminal.screen.wraps == 0)
    try scene.end()
  }

  @Test("hostile names and texts reach the terminal as plain characters")
  func hostile() async throws {
    let scene = try TerminalScene(columns: 50, rows: 40)
    let texts = [
      "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\u{8}\u{8}", "\r\u{0}\u{7F}",
      "\u{202E}x\u{2066}",
      "\u{2028}\u{2029}\u{85}", "\u{301}\u{301}", String(repeating: "👩\u{200D}", count: 90),
      "e" + String(repeating: "\u{301}", count: 300), "\u{FEFF}\u{AD}\u{200B}\u{E0041}", "\u{FFFF}",
    ]
    try await scene.type("typed", until: "> typed")
    for text in texts {
      scene.front.show(.peer(.sample(.bob, text)))
      scene.front.show(.text(text, from: .bob, name: text))
      scene.front.show(.error(.badNumber(text), ref: nil))
      scene.front.show(.link(LinkStatus(isUp: true, link: text, transport: text, remote: text)))
      scene.front.notice(text)
    }
    scene.front.notice("last")
    try await eventually {
      scene.terminal.screen.transcript.contains { $0.hasSuffix("* last") }
        && scene.shown.last == "> typed"
    }
    #expect(scene.terminal.screen.complaints == [])
    #expect(scene.terminal.screen.wraps == 0)
    try scene.end()
  }

  @Test("a terminal that hangs up ends the program quietly")
  func hangUp() async throws {
    let scene = try TerminalScene()
    try await eventually { scene.shown == [">"] }
    scene.terminal.hangUp()
    try await eventually { scene.ends == [.gone] }
    scene.front.show(.text("nobody reads this"))
    scene.front.stop()
    close(scene.terminal.slave)
  }

  @Test("a terminal that takes nothing stops nobody, and is told what it missed")
  func stalled() async throws {
    let scene = try TerminalScene(columns: 200, rows: 50)
    try await eventually { scene.shown == [">"] }
    scene.terminal.stopListening()
    let text = String(repeating: "x", count: 8_000)
    scene.front.behindAbove = 1 << 16
    scene.front.caughtUpBelow = 1 << 12
    for _ in 0..<30 { scene.front.show(.text(text)) }
    #expect(scene.front.outlet.waiting <= scene.front.behindAbove + 20_000)
    #expect(scene.front.lost > 5)
    #expect(scene.front.isBehind)
    var rooms = 0
    scene.front.onRoom = { rooms += 1 }
    scene.terminal.listen()
    try await eventually {
      scene.shown.contains { $0.contains("lines are missing here") } && scene.shown.last == ">"
    }
    #expect(scene.terminal.screen.complaints == [])
    try scene.end()
  }

  @Test("a call rings until it is answered")
  func ringing() async throws {
    let scene = try TerminalScene(columns: 70)
    let nonce = CallNonce(random: 7)
    scene.front.show(.call(CallStatus(state: .ringing, peer: .alice, nonce: nonce)))
    try await eventually { scene.terminal.screen.bells > 0 }
    #expect(scene.shown.last == "(ringing) >")
    scene.front.show(.call(CallStatus(state: .connected, peer: .alice, nonce: nonce)))
    try await eventually { scene.shown.last == "(in a call) >" }
    #expect(scene.front.bell == nil)
    try scene.end()
  }

  @Test(
    "a terminal that can only print, and what is no terminal, are edited on by nobody",
    arguments: [["TERM": "dumb"], [:]])
  func dumb(environment: [String: String]) throws {
    let terminal = try TestTerminal(columns: 80, rows: 24)
    #expect(
      TerminalFront(
        input: terminal.slave, output: terminal.slave, colors: false, environment: environment)
        == nil)
    let null = open("/dev/null", O_RDWR)
    #expect(
      TerminalFront(
        input: null, output: terminal.slave, colors: false, environment: ["TERM": "xterm"]) == nil)
    close(null)
    terminal.closeAll()
  }
}
