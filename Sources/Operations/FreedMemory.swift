import CMalloc

/// Gives memory back to the system that the process has freed.
///
/// The allocator keeps what is freed for the next allocation. After a flood or a storm of reconnections, which may take
/// many times the memory that the server otherwise needs, it would keep that for ever.
public enum FreedMemory {
    private static let intervalSeconds = 10
    /// Less is not worth the time for which the allocator is locked. A small server needs some 20 MB: what it may keep
    /// of a flood is less than a fifth of that.
    private static let bytesMin = 4 << 20

    /// Looks every ten seconds until the task is cancelled.
    public static func giveBackFromTimeToTime() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(intervalSeconds))
            let memory = ProcessReading.memoryBytes()
            // Most of the time the process is small, and the allocator need not be asked.
            guard memory.own >= bytesMin, isMuch(memory.own, inUse: ProcessReading.heapBytes()) else { continue }
            malloc_trim(0)
        }
    }

    /// Whether the process has much more memory of its own than is in use: much as such, and beside what is in use.
    static func isMuch(_ ownBytes: Int, inUse heapBytes: Int) -> Bool {
        let free = ownBytes - heapBytes
        return free >= bytesMin && free >= heapBytes / 2
    }
}
