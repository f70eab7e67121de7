import Wire

/// Puts notifications of what happens in rooms into the outbox, in the transaction in which it happens: whatever ends the
/// server, either both are there or neither.
struct PushWriting {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    /// Notifies the members of a room who have a device, less whoever has done it.
    ///
    /// - Parameter sparesPresent: whether those are left out who are in the room at this place of its log. The log has to
    ///   be that of a room in use: what a server that ended has left says nothing of now.
    func tellMembers(
        of room: String, _ key: Int64, _ kind: PushKind, by actor: String, at now: Int64, sparesPresent: Bool = false
    ) throws(StoreError) {
        try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at)
            SELECT account, $2, $3, $4, $5, $6 FROM members
            WHERE room = $1 AND left_at IS NULL AND account <> $7
                AND EXISTS (SELECT 1 FROM devices WHERE devices.account = members.account)
                AND NOT ($8 AND EXISTS (SELECT 1 FROM present WHERE present.room = $1 AND person = account))
            ON CONFLICT DO NOTHING
            """, .int(key), .text(room), .text(kind.rawValue), .int(now / 60), .json(Self.json(by: actor)), .int(now),
            .text(actor), .bool(sparesPresent))
    }

    private static func json(by actor: String) -> [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            json.member("by", actor)
            json.endObject()
        }
        return json
    }
}

/// The notifications of entries that are appended together: of one person in one minute there is one for each member, so
/// it is enough to look for members once.
struct EntryPushes {
    private struct Told: Hashable {
        let actor: String
        let minute: Int64
    }

    private var told: Set<Told> = []

    /// Somebody has come or gone, so others are absent.
    mutating func presenceChanged() { told = [] }

    /// Whether members are to be looked for.
    mutating func begins(by actor: String, at now: Int64) -> Bool {
        told.insert(Told(actor: actor, minute: now / 60)).inserted
    }
}
