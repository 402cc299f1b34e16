internal import Glibc

/// Keeps the three standard descriptors from being files of ours.
enum StandardStreams {
  /// Occupies those of descriptors 0, 1 and 2 that the program was started without.
  ///
  /// The next file that is opened would get the free number, and what is meant for the user would
  /// be written into it. The stand-in cannot be read where input is wanted nor written where output
  /// is, so that using it fails (`EBADF`) as it would have done.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is the one that open gives: the ones below are taken by now.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
