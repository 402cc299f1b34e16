import CommandLine
import Testing

@Suite struct ManPageTests {
  static let complete = #"""
    .Dd January 1, 2026
    .Dt AIRLINK-SAMPLE 1
    .Sh SYNOPSIS
    .Nm
    .Op Fl l | Fl -listen Ar PORT
    .Op Fl q | Fl -quiet
    .Sh OPTIONS
    .Bl -tag
    .It Fl -name Ar NAME , Fl -json
    .It Fl p Ar HOST:PORT , Fl -peer Ns = Ns Ar HOST:PORT
    .It Fl -discovery Ar auto|daemon|embedded|off
    .It Fl -gain Ar DB
    .It Fl v , -verbose
    .It Fl -home Ar DIR
    .It Fl -passphrase-file Ar FILE
    .It Fl -keyring
    .It Fl h , Fl -help
    .It Fl -version
    .It Fl -completions Ar bash|zsh|fish
    .El
    """#

  @Test("a page that names everything agrees with the declarations")
  func complete() {
    #expect(SampleTool.plain.difference(toManPage: Self.complete).isEmpty)
  }

  @Test("what the page leaves out and what it makes up are both named")
  func differences() {
    let page =
      Self.complete.replacing(
        ".It Fl -keyring\n", with: ".\\\" Fl -keyring\n--keyring\n.It Fl -old\n"
      )
      .replacing("embedded|", with: "").replacing("Fl v , -verbose", with: "Fl -verbose")
    let difference = SampleTool.plain.difference(toManPage: page)
    #expect(difference.missing == ["-v", "--keyring", "--discovery embedded"])
    #expect(difference.undeclared == ["--old"])
  }

  @Test("commands and operands are looked for too")
  func commands() {
    let page = """
      .It Cm create Oo Fl -name Ar NAME Oc
      .It Cm show Op Fl -json
      .It Cm import Ar FILE
      .It Fl -home Ar DIR
      .It Fl -passphrase-file Ar FILE
      .It Fl -keyring
      .It Fl h , -help , -version
      .It Fl -completions Ar bash|zsh|fish
      """
    let difference = SampleTool.commands.difference(toManPage: page)
    #expect(
      difference.missing == [
        "--far", "accept", "copy", "cancel", "NUMBER", "FINGERPRINT", "TARGET",
      ])
    #expect(difference.undeclared == [])
  }
}
