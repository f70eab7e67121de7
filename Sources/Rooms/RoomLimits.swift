/// Every bound of a room, its unit last in its name.
package struct RoomLimits: Sendable {
    /// People in a room at a time. Past it: `ROOM_FULL`.
    package var participantsMax = 1_000
    /// Devices of one person in a room at a time. Past it: the oldest is taken over.
    package var connectionsPerParticipantMax = 8
    /// Elements in a room. Past it: `VALIDATION_ERROR` with the number.
    package var elementsMax = 10_000
    /// What all elements of a room take as the list that a joiner gets, which has to go out to it in one piece. Past it:
    /// `VALIDATION_ERROR`.
    package var elementsBytesMax = (4 << 20) - (256 << 10)
    /// What the log keeps for those who are behind or come back. Past it: the oldest entries go, and who needs them
    /// must resync.
    package var logBytesMax = 1 << 20
    /// Creations that are remembered by the client's own id after their element has gone, so that a late resend makes
    /// nothing twice. Past it: the oldest are forgotten.
    package var rememberedCreationsMax = 1_024
    /// How long a person whose connections are lost stays in the room.
    package var graceMilliseconds: Int64 = 5_000
    /// Length of an id in bytes of UTF-8.
    package var idBytesMax = 128
    /// Length of a number as it is written: it is passed on like that, and 17 digits are all that a double holds.
    package var numberBytesMax = 64
    /// Length of an element's content in characters.
    package var contentCharactersMax = 5_000
    package var urlBytesMax = 2_048
    /// Length of a room's name in characters.
    package var nameCharactersMax = 80

    package init() {}
}
