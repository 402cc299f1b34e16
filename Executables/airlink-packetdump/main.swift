internal import CommandLine
internal import Glibc
internal import PacketDump

exit(PacketDump.main().rawValue)
