// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with.
///
/// `InternalImportsByDefault` makes a public import a decision.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: strict)
}

/// A module without I/O and without C of its own: every unsafe operation is marked.
func core(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Modules/\(name)",
    swiftSettings: strict + [.strictMemorySafety()])
}

/// A module that works through every sample: optimised in debug builds too, where it would be some
/// fifty times slower than real time.
func signal(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Modules/\(name)",
    swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

/// A module that every packet of large captures goes through.
///
/// Accesses to a class's properties are checked for overlap when they happen: in debug builds, which
/// the tests run, and in fuzzers, but not in what is installed, where it is a tenth of the time.
func hot(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  let isFuzzing = Context.environment["AIRLINK_FUZZ"] != nil
  return .target(
    name: name, dependencies: dependencies, path: "Modules/\(name)",
    swiftSettings: strict
      + (isFuzzing
        ? [] : [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]))
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Executables/\(name)",
    exclude: (manPages.contains(name) ? ["\(name).1"] : []) + (dissectors[name] ?? []),
    swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(name)Tests",
    swiftSettings: strict)
}

let manPages: Set = ["airlink-node", "airlink-keytool", "airlink-packetdump", "airlink-callaudio"]

/// What Wireshark runs.
let dissectors = ["airlink-packetdump": ["airlink.lua"]]

let package = Package(
  name: "airlink",
  targets: [
    // C libraries of the system. `debian-packages.txt` names the packages they come in.
    .systemLibrary(
      name: "CSodium", path: "Modules/CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"])]),
    // Avahi's client and core are loaded, not linked: see its header.
    .target(
      name: "CAvahi", path: "Modules/CAvahi",
      linkerSettings: [.linkedLibrary("avahi-common")]),
    .systemLibrary(
      name: "CEdit", path: "Modules/CEdit", pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"])]),
    .systemLibrary(
      name: "CQRencode", path: "Modules/CQRencode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
      name: "CJansson", path: "Modules/CJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"])]),
    // No pkgConfig here either: SwiftPM warns about its -DUTF8PROC_EXPORTS.
    .systemLibrary(
      name: "CUTF8Proc", path: "Modules/CUTF8Proc",
      providers: [.apt(["libutf8proc-dev"])]),
    // readpassphrase(3). libedit brings the library along; only its header is new.
    .systemLibrary(
      name: "CBSD", path: "Modules/CBSD", pkgConfig: "libbsd",
      providers: [.apt(["libbsd-dev"])]),
    .systemLibrary(
      name: "CPcap", path: "Modules/CPcap", pkgConfig: "libpcap",
      providers: [.apt(["libpcap-dev"])]),
    .systemLibrary(
      name: "COpus", path: "Modules/COpus", pkgConfig: "opus",
      providers: [.apt(["libopus-dev"])]),
    .systemLibrary(
      name: "CSpeexDSP", path: "Modules/CSpeexDSP", pkgConfig: "speexdsp",
      providers: [.apt(["libspeexdsp-dev"])]),
    .systemLibrary(
      name: "CALSA", path: "Modules/CALSA", pkgConfig: "alsa",
      providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(
      name: "COgg", path: "Modules/COgg", pkgConfig: "ogg", providers: [.apt(["libogg-dev"])]),
    // No pkgConfig: SwiftPM warns about its -Dkiss_fft_scalar=float, which is the default anyway.
    .systemLibrary(
      name: "CKissFFT", path: "Modules/CKissFFT",
      providers: [.apt(["libkissfft-dev"])]),
    .systemLibrary(
      name: "CDBus", path: "Modules/CDBus", pkgConfig: "dbus-1",
      providers: [.apt(["libdbus-1-dev"])]),
    // Optimised in debug builds too, as the modules of signals are.
    .target(
      name: "CEchoKernel", path: "Modules/CEchoKernel",
      cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
    .systemLibrary(
      name: "CBluetooth", path: "Modules/CBluetooth", pkgConfig: "bluez",
      providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
    .target(name: "CCRC32C", path: "Modules/CCRC32C"),
    // For the benchmarks: takes the place of malloc, so nothing else links it.
    .target(name: "CAllocationCount", path: "Modules/CAllocationCount"),
    .target(name: "CTerminal", path: "Modules/CTerminal"),

    // Ground and cores: no I/O, no clock, no randomness of their own.
    core("Wire", ["CCRC32C"]),
    core("Router", ["Wire"]),
    core("Outbox", ["Wire"]),
    module("Identity", ["Wire", "CSodium"]),
    module("Seal", ["Wire", "Identity", "CSodium"]),
    core("CallSignal", ["Wire", "Seal"]),
    core("Mesh", ["Wire", "Router", "Outbox", "CallSignal", "Identity", "Seal"]),

    // Thousands of meshes in one process.
    module("MeshSim", ["CommandLine", "Identity", "Mesh", "Outbox", "Router", "Wire"]),

    // What made-up bytes are fed to.
    module("FuzzTargets", ["ATT", "Chat", "HCIRadio", "Identity", "Mesh", "MeshSim", "Wire"]),

    // What a program's main thread waits on.
    module("EventLoop", ["CLinux"]),

    // The desktop's and the system's bus.
    module("DBus", ["CDBus", "EventLoop"]),
    module("Desktop", ["DBus", "EventLoop", "Identity"]),

    // Links.
    module("Link", ["Wire"]),
    module("Discovery", ["EventLoop", "Wire", "CAvahi", "CLinux"]),
    module("CallRoad", ["Discovery", "EventLoop", "Wire"]),
    module("WiFiLink", ["EventLoop", "Link", "Wire", "Discovery", "CLinux"]),
    module("BLELink", ["EventLoop", "Link", "Wire"]),
    core("ATT", []),
    module("HCIRadio", ["ATT", "BLELink", "CBluetooth", "EventLoop"]),
    module("BlueZ", ["BLELink", "DBus", "EventLoop", "Wire"]),

    // Sound: samples in, samples out.
    signal("Sound", ["COgg", "CSpeexDSP"]),
    signal("SoundCard", ["CALSA", "EventLoop", "Sound"]),
    signal("EchoNLMS", ["CEchoKernel", "CKissFFT", "CSpeexDSP"]),
    signal("VoiceCodec", ["COpus", "Wire"]),
    // Between a node and the sound of its call, which is a process of its own.
    module("AudioPipe", ["EventLoop"]),

    // What the programs share.
    module("CommandLine", ["CJansson", "CUTF8Proc", "CBSD"]),
    core("Chat", ["Wire", "CommandLine"]),
    module("Terminal", ["EventLoop", "Chat", "Wire", "CommandLine", "CEdit", "CTerminal"]),
    module("Unlock", ["CommandLine", "Desktop", "Identity"]),
    module("KeyTool", ["Unlock", "Identity", "Wire", "CommandLine", "CQRencode", "CSodium"]),
    // Apart from the readers, so that a node does without libpcap.
    module("PacketLog", ["Wire"]),
    hot("Capture", ["Wire", "CPcap"]),
    hot("PacketDump", ["Capture", "CommandLine", "Identity", "Seal", "Unlock", "Wire"]),
    module(
      "CallAudio",
      [
        "AudioPipe", "CommandLine", "EchoNLMS", "EventLoop", "Sound", "SoundCard", "VoiceCodec",
        "Wire",
      ]),
    module("SoundProcess", ["AudioPipe", "CLinux", "EventLoop"]),
    module(
      "Node",
      [
        "AudioPipe", "CLinux", "EventLoop", "CommandLine", "SoundProcess", "Unlock", "CallSignal",
        "Chat", "Terminal", "Mesh", "Outbox", "Identity", "Link", "Wire",
      ]),

    program(
      "airlink-node",
      [
        "BLELink", "BlueZ", "CallRoad", "CommandLine", "CSodium", "Desktop", "Discovery",
        "EventLoop", "HCIRadio", "Identity", "Link", "Node", "PacketLog", "SoundProcess",
        "Terminal", "Unlock", "WiFiLink", "Wire",
      ]),

    // For developers: not installed.
    program(
      "airlink-bench",
      [
        "BLELink", "CallSignal", "CommandLine", "Link", "Wire", "Identity", "Seal", "Router",
        "Outbox", "Mesh",
        "CSodium", "CCRC32C", "CAllocationCount",
      ]),

    program("airlink-meshsim", ["CLinux", "CommandLine", "Mesh", "MeshSim", "PacketLog", "Wire"]),

    program("airlink-keytool", ["KeyTool", "CommandLine"]),
    program("airlink-packetdump", ["PacketDump", "CommandLine"]),
    program("airlink-callaudio", ["CallAudio", "CommandLine"]),

    // What the tests of several modules share.
    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict),

    tests("EventLoop", ["EventLoop"]),
    tests("Desktop", ["DBus", "Desktop", "Identity", "TestSupport"]),
    tests("DBus", ["CDBus", "DBus", "TestSupport"]),
    tests("Sound", ["Sound", "TestSupport"]),
    tests("SoundCard", ["SoundCard"]),
    tests("AudioPipe", ["AudioPipe", "EventLoop", "Wire"]),
    tests("EchoNLMS", ["CAllocationCount", "CEchoKernel", "EchoNLMS"]),
    tests(
      "CallAudio",
      ["AudioPipe", "CallAudio", "CommandLine", "EchoNLMS", "SoundCard", "TestSupport", "Wire"]),
    tests("Discovery", ["Discovery", "Wire"]),
    tests("WiFiLink", ["WiFiLink", "Discovery", "Link", "Wire"]),
    tests("ATT", ["ATT"]),
    tests("HCIRadio", ["BLELink", "HCIRadio", "Link", "Wire"]),
    tests("BLELink", ["BLELink", "Link", "Wire"]),
    tests("BlueZ", ["BLELink", "BlueZ", "DBus", "TestSupport"]),
    tests("CallRoad", ["CallRoad", "Discovery", "Wire"]),
    tests("VoiceCodec", ["VoiceCodec", "Wire"]),
    tests("CallSignal", ["CallSignal", "Seal", "Wire"]),
    tests("Wire", ["Wire", "CCRC32C"]),
    tests("Identity", ["Identity", "Wire", "TestSupport"]),
    tests("Unlock", ["Unlock", "Identity", "CommandLine"]),
    tests("KeyTool", ["KeyTool", "Identity", "Wire", "CommandLine", "TestSupport"]),
    tests("Capture", ["Capture", "Wire"]),
    tests("PacketLog", ["PacketLog", "Capture", "Wire", "TestSupport"]),
    tests(
      "PacketDump",
      ["PacketDump", "Capture", "CommandLine", "Identity", "Router", "Seal", "Wire", "TestSupport"]),
    tests("Seal", ["Seal", "Identity", "Wire"]),
    tests("Router", ["Router", "Wire"]),
    tests("Outbox", ["Outbox", "Wire"]),
    tests("Mesh", ["CallSignal", "Mesh", "Outbox", "Router", "Identity", "Wire"]),
    tests("FuzzTargets", ["FuzzTargets"]),
    tests("MeshSim", ["CommandLine", "Identity", "Mesh", "MeshSim", "Outbox", "Wire"]),
    tests("Bench", ["airlink-bench", "CommandLine"]),
    tests("CommandLine", ["CommandLine"]),
    tests("Chat", ["Chat", "Wire", "CommandLine"]),
    tests("Terminal", ["Terminal", "EventLoop", "Chat", "Wire", "CommandLine", "CTerminal"]),
    tests("SoundProcess", ["AudioPipe", "SoundProcess", "TestSupport"]),
    tests(
      "Node",
      [
        "AudioPipe", "SoundProcess", "Node", "Chat", "Terminal", "Mesh", "Identity", "Link", "Wire",
        "TestSupport",
      ]),
    tests("NodeProgram", ["airlink-node", "CommandLine"]),
  ]
)

// libFuzzer and what it runs, for `.ci/fuzz` alone: it links with -sanitize=fuzzer only.
if Context.environment["AIRLINK_FUZZ"] != nil {
  package.targets += [
    .target(name: "CFuzzer", path: "Modules/CFuzzer"),
    program("airlink-fuzz", ["CFuzzer", "CommandLine", "FuzzTargets", "PacketDump"]),
  ]
}
