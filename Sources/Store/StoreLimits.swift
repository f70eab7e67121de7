/// Every bound of the store, its unit last in its name.
package struct StoreLimits: Sendable {
    /// Jobs that wait to be done. Past it: `StoreError.overloaded`.
    package var waitingJobsMax = 50_000
    /// What those jobs would write. Past it: `StoreError.overloaded`.
    package var waitingBytesMax = 64 << 20
    /// Jobs that are stored in one transaction. Past it: the others are in the next.
    package var groupJobsMax = 1_024
    /// What is stored in one transaction.
    package var groupBytesMax = 8 << 20
    /// How long after a transaction's begin the next may begin, so that under load more share one. A store that was idle
    /// begins at once.
    package var groupMilliseconds: Int64 = 1
    /// How long a lock of another program is waited for. Past it: `StoreError.locked`.
    package var lockMillisecondsMax: Int32 = 2_000

    /// Entries of one room that are kept for those who come back. Past it: the oldest go, and who needs them joins anew.
    package var journalEntriesMax = 1_024
    package var journalBytesMax = 1 << 20
    package var journalSecondsMax: Int64 = 3_600
    /// How long it is remembered in which rooms a lost connection was.
    package var lostSeatSecondsMax: Int64 = 86_400
    /// Deletions of one room that are remembered for those who ask what has changed. Past it: the oldest are forgotten,
    /// and who asks for a time before gets everything.
    package var tombstonesMax = 4_096
    package var tombstoneSecondsMax: Int64 = 30 * 86_400
    /// Clients' ids of deleted elements that are given back with a room.
    package var rememberedCreationsMax = 1_024

    /// How long an `Idempotency-Key` answers the same.
    package var answerSecondsMax: Int64 = 86_400
    /// How long a notification that is done with is remembered, so that the same is not sent again.
    package var sentPushSecondsMax: Int64 = 3_600
    /// Notifications that wait. Past it: the oldest that waits is dropped.
    package var waitingPushesMax = 100_000
    /// Devices of one person. Past it: the one that was told of the longest ago goes.
    package var devicesPerAccountMax = 16

    /// Items of one page of a list. Past it: the page has so many.
    package var pageItemsMax = 500
    /// What the elements of a page hold, past which it ends; one that is larger is a page of its own.
    package var pageBytesMax = 1 << 20
    /// Rooms of one person in the list by people. Past it: those in which something has happened last are told.
    package var roomsPerPersonMax = 100
    /// Threads that only read.
    package var readerThreads = 2
    /// How often what is too old is looked for.
    package var sweepMilliseconds: Int64 = 10_000
    /// How often a store that fails tries whether it still does.
    package var probeMilliseconds: Int64 = 1_000
    /// Pages of the database that the writing thread keeps in memory.
    package var writerCacheKibibytes = 16 << 10
    /// Pages of 4 KiB in the write-ahead log, after which they are written to the database. It grows beyond while somebody
    /// reads for long, as a backup does.
    package var logPagesMax = 4_096
    /// Size of the database. Past it: `StoreError.diskFull`. 0 is without a bound.
    package var databaseBytesMax: Int64 = 0

    package init() {}

    /// Relations that must hold; a broken one is a mistake of the program.
    func check() {
        precondition(waitingJobsMax > 0 && groupJobsMax > 0 && groupJobsMax <= waitingJobsMax)
        precondition(groupBytesMax > 0 && groupBytesMax <= waitingBytesMax)
        precondition(journalEntriesMax > 0 && journalBytesMax > 0 && tombstonesMax > 0 && pageItemsMax > 0)
        precondition(readerThreads > 0 && readerThreads <= 64 && sweepMilliseconds > 0 && probeMilliseconds > 0)
    }
}
