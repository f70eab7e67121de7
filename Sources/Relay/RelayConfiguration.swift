import Rooms

/// How the relay behaves.
package struct RelayConfiguration: Sendable {
    package var room = RoomLimits()
    /// How often a room in which people move tells its members: chosen by the load between these.
    package var tickMilliseconds = 4...50
    /// How long before its token's end a client is warned.
    package var expiryWarningMilliseconds = 60_000
    /// How long after its token's end a client may stay that has not shown a new one.
    package var expiryGraceMilliseconds = 2_000
    /// How long a connection that was lost can come back and go on where it was; 0 for not at all.
    package var recoveryMilliseconds = 120_000
    /// Whose events say where they stand in the log.
    package var recoveryOffsets = RecoveryOffsets.pages
    /// Rooms that one connection may be in.
    package var roomsPerConnectionMax = 32

    package init() {}
}

/// Which clients get an offset behind the argument of the log's events.
package enum RecoveryOffsets: String, CaseIterable, Sendable {
    /// Web pages, and whoever asks for it: a page's handlers do not mind an argument that they do not name.
    case pages
    /// Everybody.
    case all
    /// Whoever asks for it.
    case asked
}
