import Logging
import Relay
import Store
import Wire

/// What operators have done, and what they search for.
extension ConsoleJSON {
    /// The argument of `server:message`.
    static func message(_ text: String, at seconds: Int64) -> [UInt8] {
        object { json in
            json.member("text", text)
            json.member("at", Timestamp(seconds: Int(seconds), milliseconds: 0).wholeSeconds)
        }
    }

    static func bans(_ bans: [Ban]) -> [UInt8] {
        list("bans", bans) { ban, json in
            json.member("kind", ban.subject.kind.rawValue)
            json.member("subject", ban.subject.id)
            json.member("reason", ban.reason)
            json.member("madeAt", Int(ban.madeAt))
            json.member("endsAt", Int(ban.endsAt))
        }
    }

    static func audit(_ page: Page<AuditEntry>) -> [UInt8] {
        list("entries", page.items, next: page.next) { entry, json in
            json.member("at", Int(entry.at))
            json.member("node", entry.server)
            json.member("address", entry.asker)
            json.member("action", entry.action)
            json.member("subject", entry.subject)
            json.member("outcome", entry.outcome)
        }
    }

    /// - Parameter silent: the loops that have not answered.
    static func found(_ connections: some Collection<FoundConnection>, hasMore: Bool, silent: [Int]) -> [UInt8] {
        list("found", connections, next: hasMore ? "" : nil, silent: silent) { connection, json in
            json.member("person", connection.person)
            json.member("name", connection.name)
            json.member("address", connection.peer)
            json.member("transport", connection.transport)
            json.key("rooms")
            json.beginArray()
            for room in connection.rooms { json.string(room) }
            json.endArray()
        }
    }

    static func keptRooms(_ rooms: [RoomSummary], next: String?) -> [UInt8] {
        list("rooms", rooms, next: next) { room, json in write(room, to: &json) }
    }

    /// A room that is not in use.
    static func room(_ room: RoomSummary, seq: UInt64, _ picture: [UInt8]) -> [UInt8] {
        object { json in
            json.key("room")
            json.beginObject()
            write(room, to: &json)
            json.member("state", "kept")
            json.member("seq", Int(clamping: seq))
            json.endObject()
            json.member("picture", raw: picture.span)
            json.key("members")
            json.beginArray()
            json.endArray()
        }
    }

    /// A node where a room is not in use, and which is not asked what is kept.
    ///
    /// - Parameter silent: the loops that have not answered, and may have the room.
    static func noRoom(silent: [Int]) -> [UInt8] {
        object { json in
            json.key("members")
            json.beginArray()
            json.endArray()
            self.write(silent, as: "silentLoops", to: &json)
        }
    }

    private static func write(_ room: RoomSummary, to json: inout JSONWriter) {
        json.member("id", room.id)
        if let name = room.name { json.member("name", name) }
        json.member("elements", room.elementCount)
        json.member("updatedAt", Int(room.updatedAt))
        json.member("active", room.isActive)
    }

    private static func list<Item>(
        _ name: String, _ items: some Collection<Item>, next: String? = nil, silent: [Int] = [],
        _ write: (Item, inout JSONWriter) -> Void
    ) -> [UInt8] {
        object { json in
            json.key(name)
            json.beginArray()
            for item in items {
                json.beginObject()
                write(item, &json)
                json.endObject()
            }
            json.endArray()
            if let next { json.member("next", next) }
            self.write(silent, as: "silentLoops", to: &json)
        }
    }
}
