internal import CommandLine
internal import Glibc
internal import KeyTool

exit(KeyTool.main().rawValue)
