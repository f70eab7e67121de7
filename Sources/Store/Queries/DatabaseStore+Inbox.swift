extension DatabaseStore {
    package func addMessage(_ message: Message, then answer: @escaping Answer<Message>) {
        write(byteCount: 256 + message.content.utf8.count, then: answer) {
            [limits, notifies] (database) throws(StoreError) in
            _ = try PersonTable(database).known(message.person)
            // The number orders the messages of one second as they came.
            try database.run(
                """
                INSERT INTO messages (id, person, sender, kind, content, created_at, number)
                VALUES ($1, $2, $3, $4, $5, $6,
                    (SELECT coalesce(max(number), 0) + 1 FROM messages WHERE person = $2 AND created_at = $6))
                """, .text(message.id), .text(message.person), .optional(message.sender), .text(message.kind.rawValue),
                .text(message.content), .int(message.createdAt))
            try Self.removeOldest(message, limits, in: database)
            if notifies { try PushWriting(database).tell(of: message) }
            return message
        }
    }

    /// Removes what is past the bounds for a person, now that a message has come. The server's warnings and the messages of
    /// people do not push each other out.
    private static func removeOldest(
        _ new: Message, _ limits: StoreLimits, in database: any SQLConnection
    ) throws(StoreError) {
        guard let sender = new.sender else {
            try database.run(
                """
                DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE person = $1 AND sender IS NULL
                    ORDER BY created_at DESC, number DESC, id DESC LIMIT 16 OFFSET $2)
                """, .text(new.person), .int(limits.messagesOfServerMax))
            return
        }
        try database.run(
            """
            DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE person = $1 AND sender = $2
                ORDER BY created_at DESC, number DESC, id DESC LIMIT 16 OFFSET $3)
            """, .text(new.person), .text(sender), .int(limits.messagesOfSenderMax))
        let count = try database.first(
            "SELECT count(*) FROM messages WHERE person = $1 AND sender IS NOT NULL", .text(new.person)
        ) { $0.int(0) }
        guard let count, count > limits.messagesMax else { return }
        try database.run(
            """
            DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE person = $1 AND sender IS NOT NULL
                ORDER BY created_at, number, id LIMIT $2)
            """, .text(new.person), .int(min(count - Int64(limits.messagesMax), 16)))
    }

    package func message(_ id: String, then answer: @escaping Answer<Message?>) {
        read(then: answer) { (database) throws(StoreError) in try Self.message(id, in: database) }
    }

    package func messages(
        to person: String, _ part: PartRequest, then answer: @escaping Answer<ListPart<Message>>
    ) {
        let limit = min(max(part.limit, 1), limits.pageItemsMax)
        read(then: answer) { (database) throws(StoreError) in
            let found = try database.rows(
                """
                SELECT id, person, sender, kind, content, read_at, created_at FROM messages WHERE person = $1
                ORDER BY created_at DESC, number DESC, id DESC LIMIT $2 OFFSET $3
                """, .text(person), .int(limit), .int(max(part.offset, 0))
            ) { Self.message($0) }
            let total = try database.first("SELECT count(*) FROM messages WHERE person = $1", .text(person)) {
                $0.int(0)
            }
            return ListPart(items: found, total: Int(total ?? 0))
        }
    }

    package func unreadMessageCount(of person: String, then answer: @escaping Answer<Int>) {
        read(then: answer) { (database) throws(StoreError) in
            let count = try database.first(
                "SELECT count(*) FROM messages WHERE person = $1 AND read_at IS NULL", .text(person)
            ) { $0.int(0) }
            return Int(count ?? 0)
        }
    }

    package func readMessage(
        _ id: String, of person: String, at now: Int64, then answer: @escaping Answer<Message?>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            // A message that was read stays read since then.
            try database.run(
                "UPDATE messages SET read_at = $3 WHERE id = $1 AND person = $2 AND read_at IS NULL", .text(id),
                .text(person), .int(now))
            guard let message = try Self.message(id, in: database), message.person.utf8.elementsEqual(person.utf8)
            else { return nil }
            return message
        }
    }

    package func removeMessage(_ id: String, of person: String, then answer: @escaping Answer<Bool>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run("DELETE FROM messages WHERE id = $1 AND person = $2", .text(id), .text(person)) > 0
        }
    }

    private static func message(_ id: String, in database: any SQLConnection) throws(StoreError) -> Message? {
        try database.first(
            "SELECT id, person, sender, kind, content, read_at, created_at FROM messages WHERE id = $1", .text(id)
        ) { message($0) }
    }

    private static func message(_ row: any SQLRow) -> Message {
        Message(
            id: row.text(0), person: row.text(1), sender: row.optionalText(2),
            kind: Message.Kind(rawValue: row.text(3)) ?? .info, content: row.text(4), readAt: row.optionalInt(5),
            createdAt: row.int(6))
    }
}
