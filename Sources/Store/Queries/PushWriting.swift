import Wire

/// Puts notifications into the outbox, in the transaction of their event: after any end of the server both are stored
/// or neither.
struct PushWriting {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    /// Notifies the members of a room who have a device, without the user who caused the event.
    ///
    /// - Parameter sparesPresent: whether participants as of this place of the log are left out. The log has to be that
    ///   of a room in use: the participants of an ended server say nothing about now.
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

    /// Notifies a person with a device of a message: once, because each message has an id of its own.
    func tell(of message: Message) throws(StoreError) {
        try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at)
            SELECT account, $2, $3, $4, $5, $6 FROM devices WHERE account = $1 LIMIT 1
            ON CONFLICT DO NOTHING
            """, .text(message.person), .text(message.id), .text(PushKind.messageReceived.rawValue),
            .int(message.createdAt / 60), .json(Self.json(by: message.sender ?? "")), .int(message.createdAt))
    }

    /// Notifies the person of a wallet, if it has a device.
    func tell(ofBalanceOf wallet: String, at now: Int64) throws(StoreError) {
        try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at)
            SELECT person, id, $2, $3, $4, $5 FROM wallets
            WHERE id = $1 AND EXISTS (SELECT 1 FROM devices WHERE account = person)
            ON CONFLICT DO NOTHING
            """, .text(wallet), .text(PushKind.balanceChanged.rawValue), .int(now / 60), .json(Self.json(by: "")),
            .int(now))
    }

    /// Tells the other devices of a person that they show something old.
    ///
    /// The first change of a minute is told at once, and all others in it when the next minute begins: so the last change is
    /// always told after it was made. The two may come from different devices; then each of them is told.
    func tellDevices(
        of person: String, _ kind: PushKind, by session: String, at now: Int64
    ) throws(StoreError) {
        let hasOther = try database.first(
            "SELECT 1 FROM devices WHERE account = $1 AND app IN ($2, $3) AND coalesce(session, '') <> $4 LIMIT 1",
            .text(person), .text(Device.rooms), .text(kind.app), .text(session)
        ) { _ in true }
        guard hasOther == true else { return }
        let subject = "all"
        let first = try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING
            """, .text(person), .text(subject), .text(kind.rawValue), .int(now / 60), .json(Self.json(by: session)),
            .int(now))
        guard first == 0 else { return }
        var minute = now / 60
        var count = 0
        // One that is being sent, or was, may not tell of this change: the time is older than the transaction, and the clocks
        // of nodes differ.
        while count == 0 {
            minute += 1
            count = try database.run(
                """
                INSERT INTO pushes (account, room, type, minute, json, due_at) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (account, room, type, minute)
                DO UPDATE SET json = CASE WHEN pushes.json = excluded.json THEN pushes.json ELSE $7 END
                    WHERE pushes.done_at IS NULL AND pushes.leased_until IS NULL
                """, .text(person), .text(subject), .text(kind.rawValue), .int(minute), .json(Self.json(by: session)),
                .int(minute * 60), .json(Self.json(by: "")))
        }
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

/// Tells the other devices of a person what one of them has changed, if the store notifies.
struct OwnDevices: Sendable {
    fileprivate let notifies: Bool
    /// That of the device with the change; empty when it is not known.
    fileprivate let session: String
    fileprivate let now: Int64

    func tell(_ kind: PushKind, of person: String, in database: any SQLConnection) throws(StoreError) {
        guard notifies else { return }
        try PushWriting(database).tellDevices(of: person, kind, by: session, at: now)
    }
}

extension DatabaseStore {
    func ownDevices(by session: String?) -> OwnDevices {
        OwnDevices(notifies: notifies, session: session ?? "", now: now())
    }
}

/// The notifications of entries that are appended together. Each member gets at most one per author and minute, so
/// members are looked up once.
struct EntryPushes {
    private struct Told: Hashable {
        let actor: String
        let minute: Int64
    }

    private var told: Set<Told> = []

    /// The participants have changed, so other members are absent.
    mutating func presenceChanged() { told = [] }

    /// Whether members have to be looked up.
    mutating func begins(by actor: String, at now: Int64) -> Bool {
        told.insert(Told(actor: actor, minute: now / 60)).inserted
    }
}
