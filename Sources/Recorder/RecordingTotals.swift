import Store
import Threads

/// Counts of all recordings of a server.
package final class RecordingTotals: Sendable {
    package struct Reading: Sendable {
        /// Recordings that run.
        package internal(set) var running = 0
        package internal(set) var begun = 0
        /// Recordings that could not begin.
        package internal(set) var failed = 0
        package internal(set) var bytesWritten = 0
        /// Pieces that were not taken because too much waited.
        package internal(set) var refused = 0
        /// Memory of what waits to be written.
        package internal(set) var waitingBytes = 0
        /// What recordings may still take of the disk; nil while it is not known.
        package internal(set) var freeBytes: Int?
        package internal(set) var ends: [RecordingEnd: Int] = [:]
    }

    private let state = Locked(Reading())

    package init() {}

    package var reading: Reading { state.withLock { $0 } }

    func count(_ change: (inout Reading) -> Void) { state.withLock(change) }
}
