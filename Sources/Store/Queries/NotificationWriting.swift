import Wire

/// Puts notifications of applications into the outbox, in the transaction of what they are about.
struct NotificationWriting {
    private let database: any SQLConnection
    private let now: Int64

    init(_ database: any SQLConnection, now: Int64) {
        self.database = database
        self.now = now
    }

    /// - Parameter subject: tells it from others of its kind: of these each person gets one a minute.
    func notify(_ notification: AppNotification, about subject: String) throws(StoreError) {
        try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING
            """, .text(notification.person), .text(subject), .text(notification.kind.rawValue), .int(now / 60),
            .json(notification.json), .int(now))
    }

    /// Notifies all who follow a person.
    func notifyFollowers(
        of person: String, _ notification: AppNotification, about subject: String
    ) throws(StoreError) {
        try database.run(
            """
            INSERT INTO pushes (account, room, type, minute, json, due_at)
            SELECT follower, $2, $3, $4, $5, $6 FROM follows WHERE followed = $1 ON CONFLICT DO NOTHING
            """, .text(person), .text(subject), .text(notification.kind.rawValue), .int(now / 60),
            .json(notification.json), .int(now))
    }
}

extension AppNotification {
    /// `{"title", "body", "data"}`, as the outbox keeps it.
    package var json: [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            json.member("title", title)
            json.member("body", body)
            json.key("data")
            json.beginObject()
            for item in data { json.member(item.name, item.value) }
            json.endObject()
            json.endObject()
        }
        return json
    }
}
