import CSystem

/// Returns freed memory to the system.
///
/// The allocator keeps freed memory for later allocations. A flood or a storm of reconnections may take many times the
/// server's usual memory, which the allocator would keep for ever.
package struct FreedMemory {
    /// Less is not worth the time for which the allocator is locked. A small server needs some 20 MB, so this is less
    /// than a fifth of it.
    private static let bytesMin = 4 << 20
    /// The allocator is locked for tens of milliseconds while it counts and gives back much that is free. A server that is
    /// busier than this share of a processor is asked in every thirtieth interval only.
    private static let quietLoadMax = 0.2
    private static let busyIntervals = 30

    private let intervalSeconds: Int
    private var spent = ProcessReading.cpuSecondsSpent()
    private var busy = 0

    /// - Parameter intervalSeconds: how often it is called.
    package init(everySeconds intervalSeconds: Int) {
        self.intervalSeconds = intervalSeconds
    }

    /// Call it once in each interval.
    package mutating func giveBack() {
        let before = spent
        spent = ProcessReading.cpuSecondsSpent()
        busy = spent - before > Self.quietLoadMax * Double(intervalSeconds) ? busy + 1 : 0
        guard busy % Self.busyIntervals == 0 else { return }
        let memory = ProcessReading.memoryBytes()
        // Most of the time the process is small, and the allocator need not be asked.
        guard memory.own >= Self.bytesMin, Self.isMuch(memory.own, inUse: ProcessReading.heapBytes()) else { return }
        malloc_trim(0)
    }

    /// Whether the process has much more memory than is in use, both in bytes and in proportion.
    static func isMuch(_ ownBytes: Int, inUse heapBytes: Int) -> Bool {
        let free = ownBytes - heapBytes
        return free >= bytesMin && free >= heapBytes / 2
    }
}
