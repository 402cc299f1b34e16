/// What is going to happen in a simulated world.
struct Event: BitwiseCopyable {
  enum Kind: UInt8 {
    /// A packet reaches `device` over `link`.
    case arrival
    /// The mesh of `device` asked to be woken.
    case wake
    /// The link is set up.
    case linkUp
    /// Everyone moves on, and looks for neighbours.
    case tick
    /// The next text of the plan is written.
    case text
    /// The radios of `device` go off, or on again.
    case radioOff, radioOn
    /// The node on `device` is killed, or started again.
    case kill, start
    /// An attacker acts.
    case attack
  }

  var kind: Kind
  var device: UInt32 = 0
  var link: UInt32 = 0
  /// Which of the links that had this place; what was under way on an older one is lost.
  var generation: UInt32 = 0
  /// The packet's place in the pool.
  var packet: UInt32 = 0
}

/// Events by their time, those of one time in the order they were put in.
///
/// A heap with four children a node: half as deep as one with two, and a node's children lie side by
/// side in memory. An event is a few words and nothing is allocated for it.
struct EventQueue {
  private struct Entry: BitwiseCopyable {
    var time: Int64
    var order: UInt64
    var event: Event

    @inline(__always)
    func isBefore(_ other: Entry) -> Bool {
      time < other.time || (time == other.time && order < other.order)
    }
  }

  private var heap: ContiguousArray<Entry> = []
  private var nextOrder: UInt64 = 0

  var count: Int { heap.count }
  /// Nanoseconds since the world began.
  var nextTime: Int64? { heap.first?.time }

  mutating func push(_ event: Event, at time: Int64) {
    let entry = Entry(time: time, order: nextOrder, event: event)
    nextOrder &+= 1
    heap.append(entry)
    heap.withUnsafeMutableBufferPointer { heap in
      var place = heap.count - 1
      while place > 0 {
        let parent = (place - 1) / 4
        guard entry.isBefore(heap[parent]) else { break }
        heap[place] = heap[parent]
        place = parent
      }
      heap[place] = entry
    }
  }

  mutating func pop() -> (time: Int64, event: Event)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return (first.time, first.event) }
    heap.withUnsafeMutableBufferPointer { heap in
      let count = heap.count
      var place = 0
      while true {
        let start = 4 * place + 1
        guard start < count else { break }
        var least = start
        for child in (start + 1)..<max(start + 1, min(start + 4, count))
        where heap[child].isBefore(heap[least]) {
          least = child
        }
        guard heap[least].isBefore(last) else { break }
        heap[place] = heap[least]
        place = least
      }
      heap[place] = last
    }
    return (first.time, first.event)
  }
}
