internal import EventLoop
internal import Glibc

/// Tells when a file of a directory was put in place of another one, as `rename` does.
@MainActor
final class FileWatch {
  private var watch: EventLoop.Watch?
  private let descriptor: Int32
  private let name: String
  private let onChange: () -> Void

  /// Nil where the kernel gives no watch: then changes by others are seen at the next start.
  init?(directory: String, name: String, onChange: @escaping () -> Void) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard inotify_add_watch(descriptor, directory, UInt32(IN_MOVED_TO)) >= 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.name = name
    self.onChange = onChange
    watch = EventLoop.main.watch(descriptor, for: .read) { [weak self] _ in self?.readEvents() }
  }

  func stop() {
    guard let watch else { return }
    EventLoop.main.unwatch(watch)
    self.watch = nil
    close(descriptor)
  }

  private func readEvents() {
    var hasChanged = false
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      if count <= buffer.count {
        hasChanged = names(in: buffer[..<count]).contains(name) || hasChanged
      }
    }
    if hasChanged { onChange() }
  }

  /// The file names of a run of `inotify_event`s: 12 bytes, the name's length, the name with zeros.
  private func names(in bytes: ArraySlice<UInt8>) -> [String] {
    var names: [String] = []
    var rest = bytes
    while rest.count >= 16 {
      let length = rest.withUnsafeBytes {
        Int(clamping: $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      }
      rest = rest.dropFirst(16)
      names.append(String(decoding: rest.prefix(length).prefix { $0 != 0 }, as: UTF8.self))
      rest = rest.dropFirst(length)
    }
    return names
  }
}
