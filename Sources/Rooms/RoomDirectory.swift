/// Which rooms there are, and who may be in them.
///
/// Asked at every join, by any shard and at any rate. It must not block: what has to be looked up elsewhere is answered
/// later, and no other join waits for it.
package protocol RoomDirectory: Sendable {
    /// Finds a room for a person: the room as clients are shown it (a JSON object with `id`, `name` and so on), or
    /// `FORBIDDEN` or `NOT_FOUND`.
    ///
    /// - Returns: the answer if it is at hand. Nil if not: then `later` is called with it, once, on any thread.
    func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>?
}

/// Where the contents of rooms are while nobody is in them.
///
/// Calls for one room come one after another from one thread; those for different rooms from several.
package protocol RoomKeeper: Sendable {
    /// What the room was left with, as `store` was last called with it; nil where nothing was. From then on the room is
    /// in use, until `store` is called again.
    ///
    /// - Returns: the answer if it is at hand. Nil if not: then `later` is called with it, once, on any thread.
    func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>?

    /// The last has left the room.
    func store(_ contents: RoomContents, of roomID: String)
}
