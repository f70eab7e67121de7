import Store

extension ServerConfiguration {
    /// Opens the store; nil without a data directory. The caller closes it after the server has stopped.
    func openStore() throws(StoreError) -> (any ServerStore)? {
        guard let data else { return nil }
        return try DatabaseStore(.directory(data), limits: storeLimits, notifies: push != .off)
    }

    var storeLimits: StoreLimits {
        var limits = StoreLimits()
        limits.databaseBytesMax = Int64(dataSizeMax)
        limits.journalEntriesMax = journalEntriesMax
        limits.journalBytesMax = journalSizeMax
        limits.journalSecondsMax = Int64(journalAgeMax.wholeMilliseconds / 1_000)
        limits.tombstoneSecondsMax = Int64(deletionsAgeMax.wholeMilliseconds / 1_000)
        limits.groupMilliseconds = Int64(groupInterval.wholeMilliseconds)
        limits.waitingPushesMax = pushWaitingMax
        return limits
    }
}
