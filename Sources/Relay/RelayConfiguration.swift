import Rooms

/// How the relay behaves.
public struct RelayConfiguration: Sendable {
    public var room = RoomLimits()
    /// How often a room in which people move tells its members: chosen by the load between these.
    public var tickMilliseconds = 4...50
    /// How long before its token's end a client is warned.
    public var expiryWarningMilliseconds = 60_000
    /// How long after its token's end a client may stay that has not shown a new one.
    public var expiryGraceMilliseconds = 2_000
    /// Rooms that one connection may be in.
    public var roomsPerConnectionMax = 32

    public init() {}
}
