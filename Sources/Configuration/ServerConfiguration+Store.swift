import Store

extension ServerConfiguration {
    /// Whether anything outlives the server.
    package var hasStore: Bool { data != nil || store != nil }

    /// Whether a provider delivers notifications.
    package var sendsNotifications: Bool { push != .off || fcmKeyFile != nil || apnsKeyFile != nil }

    package var storeLimits: StoreLimits {
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
