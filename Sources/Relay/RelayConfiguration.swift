import Rooms

/// The settings of the relay.
package struct RelayConfiguration: Sendable {
    package var room = RoomLimits()
    /// The time between two ticks of a room in which touches move. The load chooses it within these bounds.
    package var tickMilliseconds = 4...50
    /// How long before the end of its token a client is warned.
    package var expiryWarningMilliseconds = 60_000
    /// How long after the end of its token a client may stay without a new one.
    package var expiryGraceMilliseconds = 2_000
    /// How long a lost connection can come back and continue; 0 for not at all.
    package var recoveryMilliseconds = 120_000
    /// The clients whose events have offsets.
    package var recoveryOffsets = RecoveryOffsets.pages
    /// Rooms that one connection may be in.
    package var roomsPerConnectionMax = 32
    /// Whether clients are users of the server's own accounts, who are told news of these. A user whom somebody else names may
    /// have the same id as an account.
    package var tellsPersonalEvents = false

    package init() {}
}

/// Which clients get an offset after the argument of the log's events.
package enum RecoveryOffsets: String, CaseIterable, Sendable {
    /// Web pages, and clients that ask for offsets. Handlers of a page ignore an argument that they do not name.
    case pages
    /// All clients.
    case all
    /// Clients that ask for offsets.
    case asked
}
