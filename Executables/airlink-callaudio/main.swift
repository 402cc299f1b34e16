internal import CallAudio
internal import CommandLine
internal import Glibc

exit(CallAudio.main().rawValue)
