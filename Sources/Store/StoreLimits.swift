/// Every bound of the store, its unit last in its name.
package struct StoreLimits: Sendable {
    /// Waiting jobs. Past it: `StoreError.overloaded`.
    package var waitingJobsMax = 50_000
    /// Bytes that those jobs would write. Past it: `StoreError.overloaded`.
    package var waitingBytesMax = 64 << 20
    /// Jobs in one transaction. Past it: the others are in the next.
    package var groupJobsMax = 1_024
    /// Bytes in one transaction.
    package var groupBytesMax = 8 << 20
    /// How long after a transaction's begin the next may begin, so that under load more share one. A store that was idle
    /// begins at once.
    package var groupMilliseconds: Int64 = 1
    /// How long to wait for a lock of another program. Past it: `StoreError.locked`.
    package var lockMillisecondsMax: Int32 = 2_000
    /// How long a server without a cluster waits for nodes that were killed. They are known to be dead after the time of a lease.
    package var leaseMillisecondsMax: Int64 = HomeTable.leaseMilliseconds + 1_000
    /// How long to wait for the answer of a database server. Past it: the connection is closed, and the request fails.
    package var statementMillisecondsMax: Int64 = 30_000

    /// Entries of one room that are kept for clients that come back. Past it: the oldest go, and a client that needs
    /// them joins anew.
    package var journalEntriesMax = 1_024
    package var journalBytesMax = 1 << 20
    package var journalSecondsMax: Int64 = 3_600
    /// How long the seats of a lost connection are kept.
    package var lostSeatSecondsMax: Int64 = 86_400
    /// Deletions of one room that are remembered for clients that ask for changes. Past it: the oldest are forgotten,
    /// and a client that asks for an earlier time gets all elements.
    package var tombstonesMax = 4_096
    package var tombstoneSecondsMax: Int64 = 30 * 86_400
    /// Creation keys of deleted elements that are restored with a room.
    package var rememberedCreationsMax = 1_024

    /// How long an answer is kept for its `Idempotency-Key`.
    package var answerSecondsMax: Int64 = 86_400
    /// How long a finished notification is remembered, so that an equal one is not sent again.
    package var sentPushSecondsMax: Int64 = 3_600
    /// Waiting notifications. Past it: the oldest one is dropped.
    package var waitingPushesMax = 100_000
    /// Devices of one user. Past it: the one that was registered the longest ago is removed.
    package var devicesPerAccountMax = 16
    /// Uploads of one user that are under way. Past it: `StoreError.conflict`.
    package var openUploadsMax = 32
    /// Files of one user that an application keeps, with those under way. Past it: `StoreError.conflict`.
    package var uploadsMax = 10_000

    /// Open sessions of one person. Past it: the one that was used least recently ends.
    package var sessionsMax = 50
    /// Messages of people to one person. Past it: the oldest is removed.
    package var messagesMax = 10_000
    /// Messages of the server itself to one person, which those of people do not push out. Past it: the oldest is removed.
    package var messagesOfServerMax = 500
    /// Messages of one sender to one person. Past it: the sender's oldest is removed.
    package var messagesOfSenderMax = 500
    /// Keys for access tokens. Past it: the oldest is removed, and its tokens are no longer accepted.
    package var signingKeysMax = 8
    /// How long a key stays when the next one is there: it signs for two minutes more, and its longest token lasts a day.
    package var replacedKeySecondsMax: Int64 = 86_400 + 300
    package var codeTriesMax = 5
    /// The time for which the row of an ended allowance stays. A client that tries many names leaves rows for that long.
    package var endedAllowanceSecondsMax: Int64 = 3_600
    package var moodsMax = 20_000
    package var profilesMax = 20
    package var passkeysMax = 20
    package var walletsMax = 20
    /// Invitations to a room that can be accepted. Past it: a new one is refused.
    package var invitationsMax = 20
    /// Users and addresses that are banned. Past it: a further ban is refused.
    package var bansMax = 1_000
    /// Lines of the operators' log. Past either: the oldest go.
    package var auditEntriesMax = 20_000
    package var auditSecondsMax: Int64 = 90 * 86_400
    /// A week, when one comes every ten minutes.
    package var providerTokenAttemptsMax = 1_000
    package var settingsMembersMax = 64
    package var settingsBytesMax = 4_096
    package var connectionsOfProfileMax = 100
    /// Of one person in the library.
    package var storiesMax = 1_000
    package var whispersMax = 20_000
    package var likesMax = 20_000
    package var followsMax = 5_000
    /// Chapters of one story.
    package var chaptersMax = 500
    /// How long deletions in the library are remembered. A client that asks for earlier changes gets everything.
    package var libraryTombstoneSecondsMax: Int64 = 90 * 86_400

    /// Items of one page of a list. Past it: the page has so many.
    package var pageItemsMax = 500
    /// Bytes of the elements of a page. Past it the page ends. A larger element is a page of its own.
    package var pageBytesMax = 1 << 20
    /// Rooms with each user in the list by users. Past it: only the most recently active ones are listed.
    package var roomsPerPersonMax = 100
    /// Threads that only read.
    package var readerThreads = 2
    /// How often old data are removed.
    package var sweepMilliseconds: Int64 = 10_000
    /// How often a failing store tries again.
    package var probeMilliseconds: Int64 = 1_000
    /// Pages of the database that the writing thread keeps in memory.
    package var writerCacheKibibytes = 16 << 10
    /// Pages of 4 KiB in the write-ahead log, after which they are written to the database. It grows beyond this during
    /// a long read, such as a backup.
    package var logPagesMax = 4_096
    /// Size of the database. Past it: `StoreError.diskFull`. 0: no bound.
    package var databaseBytesMax: Int64 = 0

    package init() {}

    /// Relations that must hold. A broken one is a defect of the program.
    func check() {
        precondition(waitingJobsMax > 0 && groupJobsMax > 0 && groupJobsMax <= waitingJobsMax)
        precondition(groupBytesMax > 0 && groupBytesMax <= waitingBytesMax)
        precondition(journalEntriesMax > 0 && journalBytesMax > 0 && tombstonesMax > 0 && pageItemsMax > 0)
        precondition(readerThreads > 0 && readerThreads <= 64 && sweepMilliseconds > 0 && probeMilliseconds > 0)
    }
}
