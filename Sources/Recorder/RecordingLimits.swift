import Store

/// Every bound of recordings, its unit last in its name.
package struct RecordingLimits: Sendable {
    /// One file. Past it the recording ends.
    package var fileBytesMax = 1 << 30
    /// How many run at a time. Past it none begins.
    package var openMax = 256
    /// How many of one user run at a time. Those that go on after a home was lost are not refused.
    package var openOfStarterMax = 16
    /// What waits to be written, of all recordings. Past it a recording gets a gap, and then the room's whole state.
    package var waitingBytesMax = 64 << 20
    /// How long lines may wait for a block to be written.
    package var flushMilliseconds: Int64 = 1_000
    /// How often a row is told how far its recording has come.
    package var noteMilliseconds: Int64 = 10_000
    /// After that time a recording that lost its home is not continued.
    package var continuesMillisecondsMax: Int64 = 600_000
    /// Ends that the store could not take. Past it the next start of the server finds them.
    package var unstoredEndsMax = 10_000
    /// How many recordings there may be in all.
    package var kept = RecordingBounds()

    package init() {}
}
