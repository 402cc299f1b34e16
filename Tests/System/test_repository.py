"""The repository keeps its own rules: who imports whom, what no source may hold, links that lead."""

import json
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = {"Wire", "Router", "Outbox", "Mesh", "ATT"}  # no I/O of any kind
ABOVE_LINK = {"Router", "Outbox", "Mesh", "Seal", "Identity"}
RADIOS = re.compile(r"wi-?fi|bluetooth|\bble|bonjour|avahi|mdns", re.IGNORECASE)
DECLARES_ALONE = {"Link"}  # what a link is, with nothing in it that could be run
LONGEST_FILE = 350
TOP_LEVEL = {
    "Package.swift", "Modules", "Executables", "Tests", "Fixtures", "Makefile", "README.md",
    "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "docs",
    "debian-packages.txt", "Package.resolved",
}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public |internal |private |package |fileprivate )?"
    r"import (?:struct |class |enum |func |protocol |typealias |let |var )?(\w+)", re.MULTILINE)


def sources(*folders, suffix=".swift"):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
            if not any(part.startswith(".") for part in path.relative_to(ROOT).parts):
                yield path


def code_of(path):
    """A Swift file without its comments and strings."""
    text = path.read_text()
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//[^\n]*|/\*(?:.|\n)*?\*/", "", text)


def imports_of(folder):
    return {name for path in sources(folder) for name in IMPORT.findall(path.read_text())}


def swift_modules():
    return {folder.name for folder in (ROOT / "Modules").iterdir() if any(folder.rglob("*.swift"))}


def listed_packages():
    lines = (ROOT / "debian-packages.txt").read_text().splitlines()
    return {line.strip() for line in lines if line and not line.startswith("#")}


def named(path, text):
    return f"{path.relative_to(ROOT)}: {text}"


class RepositoryTests(unittest.TestCase):
    def assert_none(self, problems):
        if problems:
            self.fail("\n" + "\n".join(problems))

    def test_no_source_imports_Foundation(self):
        self.assert_none([named(path, "imports Foundation")
                          for path in sources("Modules", "Executables")
                          if "Foundation" in IMPORT.findall(path.read_text())])

    def test_cores_import_nothing_that_does_io(self):
        doors = {"Glibc", "Dispatch", "FoundationEssentials", "Darwin", "Musl", "Synchronization"}
        self.assert_none([f"{core} imports {name}" for core in sorted(CORES & swift_modules())
                          for name in sorted(imports_of(f"Modules/{core}") & doors)])

    def test_cores_read_no_clock_and_draw_no_randomness(self):
        own = re.compile(r"SystemRandomNumberGenerator|ContinuousClock|SuspendingClock|\bHasher\(\)"
                         r"|\bhashValue\b|\b[A-Z]\w*\.random\((?![^\n]*using:)")
        self.assert_none([named(path, match.group(0)) for core in CORES
                          for path in sources(f"Modules/{core}")
                          for match in own.finditer(code_of(path))])

    def test_nothing_above_Link_names_a_radio(self):
        problems = []
        for module in sorted(ABOVE_LINK & swift_modules()):
            for path in sources(f"Modules/{module}"):
                problems += [named(path, match.group(0)) for match in RADIOS.finditer(code_of(path))]
        self.assert_none(problems)

    def test_no_source_can_trap_by_convenience(self):
        shortcut = re.compile(r"\btry!|\bas!|\bfatalError\b|\bunowned\(unsafe\)")
        self.assert_none([named(path, match.group(0)) for path in sources("Modules", "Executables")
                          for match in shortcut.finditer(code_of(path))])

    def test_nothing_is_left_to_do(self):
        # Spelled apart, or this file would be a finding.
        words = re.compile("TO" + "DO|FIX" + "ME|HA" + "CK\\b")
        files = [*sources("Modules", "Executables", "Tests"), *sources(".", suffix=".md"),
                 *sources("Modules", suffix=".c"), *sources("Modules", suffix=".h"),
                 *sources("Tests/System", suffix=".py")]
        self.assert_none([named(path, match.group(0)) for path in files
                          for match in words.finditer(path.read_text())])

    def test_what_the_compiler_cannot_check_says_why_it_holds(self):
        claim = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)")
        problems = []
        for path in sources("Modules", "Executables"):
            lines = path.read_text().splitlines()
            for index, line in enumerate(lines):
                if not claim.search(line.split("//")[0]):
                    continue
                before = [other.strip() for other in lines[max(0, index - 4):index]]
                if sum(other.startswith("//") for other in before) < 2:
                    problems.append(named(path, f"line {index + 1} has no two lines on why it holds"))
        self.assert_none(problems)

    def test_every_module_has_tests(self):
        self.assert_none([f"no Tests/{module}Tests" for module in sorted(swift_modules() - DECLARES_ALONE)
                          if not any(sources(f"Tests/{module}Tests"))])

    def test_files_stay_short(self):
        self.assert_none([
            named(path, f"{lines} lines, over {LONGEST_FILE}")
            for path in sources("Modules", "Executables", "Tests")
            if (lines := path.read_text().count("\n")) > LONGEST_FILE])

    def targets(self):
        """What Package.swift declares, by name."""
        done = subprocess.run(["swift", "package", "--package-path", ROOT, "dump-package"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {target["name"]: target for target in json.loads(done.stdout)["targets"]}

    def test_packages_of_C_libraries_are_in_the_list(self):
        self.assert_none([f"{name} needs {package}"
                          for name, target in self.targets().items()
                          for provider in target.get("providers") or []
                          for package in provider["apt"][0] if package not in listed_packages()])

    def test_declared_dependencies_are_the_imports(self):
        targets, problems = self.targets(), []
        for name, target in targets.items():
            folder = target.get("path")
            if target["type"] == "system" or not any(sources(folder)):
                continue
            declared = {next(iter(d.values()))[0] for d in target["dependencies"]}
            imported = imports_of(folder) & set(targets)
            problems += [f"{name} imports {x}, undeclared" for x in sorted(imported - declared)]
            # A program is no module: tests declare it so that it is built before they run it.
            unused = {x for x in declared - imported if targets[x]["type"] != "executable"}
            problems += [f"{name} declares {x}, unused" for x in sorted(unused)]
        self.assert_none(problems)

    def test_the_architecture_page_shows_the_modules_as_they_are(self):
        text = (ROOT / "ARCHITECTURE.md").read_text()
        shown = {name: {word for word in imports.replace(" ", "").split(",") if word}
                 for name, imports in re.findall(r"^\| (\w+) \| [^|]+ \|([^|]*)\|$", text,
                                                 re.MULTILINE) if name != "module"}
        modules = swift_modules()
        declared = {name: {next(iter(d.values()))[0] for d in target["dependencies"]} & modules
                    for name, target in self.targets().items() if name in modules}
        self.assertEqual(shown, declared)

    def test_the_top_level_is_the_agreed_one(self):
        found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
        self.assert_none([f"{name} is new at the top level" for name in sorted(found - TOP_LEVEL)])

    def test_links_in_documents_lead_somewhere(self):
        problems = []
        for path in sources(".", suffix=".md"):
            text = re.sub(r"```(?:.|\n)*?```", "", path.read_text())
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                other = (path.parent / file).resolve() if file else path
                if not other.exists():
                    problems.append(named(path, f"{target} leads nowhere"))
                elif anchor and other.suffix == ".md" and anchor not in anchors(other):
                    problems.append(named(path, f"{target}: no such heading"))
        self.assert_none(problems)

    def test_the_tests_that_the_page_on_calls_names_are_there(self):
        tests = "".join(path.read_text() for path in sources("Tests"))
        rows = [line for line in (ROOT / "docs/CALLS.md").read_text().splitlines()
                if line.startswith("| ") and "Tests` " in line]
        self.assertGreater(len(rows), 15)
        self.assert_none([f"docs/CALLS.md names no test: {name}" for row in rows
                          for name in re.findall(r'"([^"]+)"', row) if f'"{name}"' not in tests])

    def test_packages_are_named_in_one_file(self):
        packages = listed_packages()
        files = [*sources(".", suffix=".md"), ROOT / "Makefile", *(ROOT / ".ci").iterdir()]
        command = re.compile(r"apt(?:-get)? (?:-\S+ )*install ([^\n`]*)")
        self.assert_none([named(path, match.group(0)) for path in files
                          for match in command.finditer(path.read_text())
                          if packages & set(match.group(1).split()) - {"make"}])


def anchors(path):
    """The anchors that a forge gives a document's headings."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", path.read_text(), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower()
        found.add(plain.replace(" ", "-"))
    return found
