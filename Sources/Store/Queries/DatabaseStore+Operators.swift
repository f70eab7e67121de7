extension DatabaseStore {
    package func keepBan(_ ban: Ban, then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let others = try database.first(
                "SELECT count(*) FROM bans WHERE ends_at > $1 AND NOT (kind = $2 AND subject = $3)", .int(ban.madeAt),
                .text(ban.subject.kind.rawValue), .text(ban.subject.id)
            ) { $0.int(0) }
            guard Int(others ?? 0) < limits.bansMax else {
                throw .conflict("There are \(limits.bansMax) bans already; lift one first.")
            }
            try database.run(
                """
                INSERT INTO bans (kind, subject, reason, made_at, ends_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (kind, subject) DO UPDATE SET reason = excluded.reason, made_at = excluded.made_at,
                    ends_at = excluded.ends_at
                """, .text(ban.subject.kind.rawValue), .text(ban.subject.id), .text(ban.reason), .int(ban.madeAt),
                .int(ban.endsAt))
        }
    }

    package func liftBan(_ subject: BanSubject, then answer: @escaping Answer<Bool>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "DELETE FROM bans WHERE kind = $1 AND subject = $2", .text(subject.kind.rawValue), .text(subject.id))
                > 0
        }
    }

    package func bans(at now: Int64, then answer: @escaping Answer<[Ban]>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try database.rows(
                """
                SELECT kind, subject, reason, made_at, ends_at FROM bans WHERE ends_at > $1
                ORDER BY ends_at, kind, subject LIMIT $2
                """, .int(now), .int(limits.bansMax)
            ) { row in
                // A kind of a newer server is nothing that this one could observe.
                BanSubject.Kind(rawValue: row.text(0)).map {
                    Ban(
                        BanSubject($0, row.text(1)), reason: row.text(2), madeAt: row.int(3), endsAt: row.int(4))
                }
            }.compactMap(\.self)
        }
    }

    // MARK: Audit

    package func addAudit(_ entry: AuditEntry, then answer: @escaping Answer<Void>) {
        write(byteCount: entry.subject.utf8.count + 512, then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                INSERT INTO audit (at, id, server, operator, action, subject, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, .int(entry.at), .text(entry.id), .int(entry.server), .text(entry.asker), .text(entry.action),
                .text(entry.subject), .text(entry.outcome))
        }
    }

    package func audit(_ page: PageRequest, then answer: @escaping Answer<Page<AuditEntry>>) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.Moment(page.cursor)
            let found = try database.rows(
                """
                SELECT at, id, server, operator, action, subject, outcome FROM audit WHERE (at, id) < ($1, $2)
                ORDER BY at DESC, id DESC LIMIT $3
                """, .int(after.at), .text(after.id), .int(limit + 1)
            ) {
                AuditEntry(
                    at: $0.int(0), id: $0.text(1), server: Int($0.int(2)), asker: $0.text(3), action: $0.text(4),
                    subject: $0.text(5), outcome: $0.text(6))
            }
            let last = found.count > limit ? found[limit - 1] : nil
            return Page(items: Array(found.prefix(limit)), next: last.map { Cursor.Moment(at: $0.at, id: $0.id).text })
        }
    }

    package func auditTimes(
        of action: String, server: Int, since: Int64, then answer: @escaping Answer<[Int64]>
    ) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try database.rows(
                "SELECT at FROM audit WHERE at >= $1 AND server = $2 AND action = $3 ORDER BY at LIMIT $4",
                .int(since), .int(server), .text(action), .int(limits.pageItemsMax)
            ) { $0.int(0) }
        }
    }

    // MARK: Rooms

    package func findRooms(
        containing text: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>
    ) {
        let limit = pageLimit(page)
        // What has a meaning in a pattern is searched for as it is.
        let escaped = text.unicodeScalars.reduce(into: "") { pattern, scalar in
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.Activity(page.cursor)
            let found = try database.rows(
                """
                SELECT id, name, created_by, created_at, active_at, closed_at, element_count, key FROM rooms
                WHERE (active_at, key) < ($1, $2)
                    AND (lower(id) LIKE lower($3) ESCAPE '\\' OR lower(coalesce(name, '')) LIKE lower($3) ESCAPE '\\')
                ORDER BY active_at DESC, key DESC LIMIT $4
                """, .int(after.at), .int(after.key), .text("%\(escaped)%"), .int(limit + 1)
            ) { (summary: RoomTable.summary($0, from: 0), key: $0.int(7)) }
            let last = found.count > limit ? found[limit - 1] : nil
            return Page(
                items: found.prefix(limit).map(\.summary),
                next: last.map { Cursor.Activity(at: $0.summary.updatedAt, key: $0.key).text })
        }
    }
}
