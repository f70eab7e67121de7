/// Every bound of a room, its unit last in its name.
package struct RoomLimits: Sendable {
    /// Participants of a room at a time. Past it: `ROOM_FULL`.
    package var participantsMax = 1_000
    /// Connections of one participant at a time. Past it: the new connection takes the place of the oldest.
    package var connectionsPerParticipantMax = 8
    /// Elements in a room. Past it: `VALIDATION_ERROR` with the number.
    package var elementsMax = 10_000
    /// The length of the list of all elements, which a joining client gets in one piece. Past it: `VALIDATION_ERROR`.
    package var elementsBytesMax = (4 << 20) - (256 << 10)
    /// The entries that the log keeps for members that are behind or come back. Past it: the oldest entries go, and a
    /// member that needs them must join again.
    package var logBytesMax = 1 << 20
    /// Creation keys that are remembered after their elements were deleted, so that a late resend creates nothing
    /// twice. Past it: the oldest are forgotten.
    package var rememberedCreationsMax = 1_024
    /// How long a participant whose connections are lost stays in the room.
    package var graceMilliseconds: Int64 = 5_000
    /// Length of an id in bytes of UTF-8.
    package var idBytesMax = 128
    /// Length of a number as text. Numbers are passed on as the client wrote them, and a double has no more than 17
    /// digits.
    package var numberBytesMax = 64
    /// Length of an element's content in characters.
    package var contentCharactersMax = 5_000
    package var urlBytesMax = 2_048
    /// The changes of texts that a room keeps, so that edits of older versions can be merged. Past it: the oldest are
    /// forgotten, and an edit from before them gets `CONFLICT`.
    package var textChangesBytesMax = 512 << 10
    /// The same for the text of one element, in number.
    package var textChangesPerElementMax = 256
    /// Edits of texts that are known when they are sent again. Past it the oldest are forgotten: then a late resend is a
    /// `CONFLICT` that does not say whether the text has it.
    package var rememberedEditsMax = 8_192
    /// Length of a room's name in characters.
    package var nameCharactersMax = 80

    package init() {}
}
