/// The directory of rooms and of the permissions to join them.
///
/// Any shard asks it at every join, at any rate. It must not block: an answer that takes a lookup comes later, and
/// other joins do not wait for it.
package protocol RoomDirectory: Sendable {
    /// Finds a room for a user: the room's description for clients (a JSON object with `id`, `name` and so on), or
    /// `FORBIDDEN` or `NOT_FOUND`.
    ///
    /// - Returns: the answer, if it is known at once. Otherwise nil, and `later` gets it, once, on any thread.
    func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>?
}

/// Keeps the contents of rooms while they are empty.
///
/// Calls for one room come one after another from one thread. Calls for different rooms come from several threads.
package protocol RoomKeeper: Sendable {
    /// The contents of the last call of `store`; nil if there are none. From now on the room is in use, until the next
    /// call of `store`.
    ///
    /// - Returns: the answer, if it is known at once. Otherwise nil, and `later` gets it, once, on any thread.
    func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>?

    /// The last participant has left the room.
    func store(_ contents: RoomContents, of roomID: String)
}
