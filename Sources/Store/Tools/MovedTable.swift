/// A table as `StoreMove` copies it: in the order of its key, page by page.
struct MovedTable {
    enum Kind {
        case int, text, bool, real
    }

    let name: String
    let columns: [Kind]
    /// How many of the first columns are the key.
    let keyCount: Int
    /// Rows after a key, with a limit.
    let select: StaticString
    /// The greatest key.
    let last: StaticString
    let insert: StaticString

    /// Less than all keys.
    var start: [SQLValue] { columns.prefix(keyCount).map { $0 == .int ? .int(Int64.min) : .text("") } }

    func values(_ row: any SQLRow) -> [SQLValue] { columns.indices.map { value(row, $0) } }

    func key(_ row: any SQLRow) -> [SQLValue] { (0..<keyCount).map { value(row, $0) } }

    private func value(_ row: any SQLRow, _ index: Int) -> SQLValue {
        let column = Int32(clamping: index)
        if row.isNull(column) { return .null }
        return switch columns[index] {
        case .int: .int(row.int(column))
        case .text: .json(row.bytes(column))
        case .bool: .bool(row.bool(column))
        case .real: .real(row.real(column))
        }
    }

    /// All tables with data, each after those that it refers to. Codes and limits last an hour or a day: a new place
    /// begins without.
    static let all = accounts + people + profiles + rooms + services + library + invitations

    private static let accounts = [
        MovedTable(
            name: "accounts", columns: [.text, .text, .text, .text, .text, .int, .text, .int, .int], keyCount: 1,
            select: """
                SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
                FROM accounts WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM accounts ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO accounts (id, sub, email, username, first_name, date_of_birth, avatar_url, created_at,
                    updated_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """),
        MovedTable(
            name: "devices", columns: [.text, .text, .int, .text, .text, .text, .text, .int, .text, .int], keyCount: 1,
            select: """
                SELECT id, account, seen_at, name, platform, app, app_version, created_at, types, badge FROM devices
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM devices ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO devices (id, account, seen_at, name, platform, app, app_version, created_at, types, badge)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """),
        MovedTable(
            name: "push_types", columns: [.text, .text, .bool], keyCount: 2,
            select: """
                SELECT account, type, is_on FROM push_types WHERE (account, type) > ($1, $2)
                ORDER BY account, type LIMIT $3
                """,
            last: "SELECT account, type FROM push_types ORDER BY account DESC, type DESC LIMIT 1",
            insert: "INSERT INTO push_types (account, type, is_on) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "muted_rooms", columns: [.text, .text], keyCount: 2,
            select: """
                SELECT account, room FROM muted_rooms WHERE (account, room) > ($1, $2) ORDER BY account, room LIMIT $3
                """,
            last: "SELECT account, room FROM muted_rooms ORDER BY account DESC, room DESC LIMIT 1",
            insert: "INSERT INTO muted_rooms (account, room) VALUES ($1, $2)"),
    ]

    private static let people = [
        MovedTable(
            name: "people", columns: [.text, .text, .text, .int, .text, .text, .int, .int], keyCount: 1,
            select: """
                SELECT id, name, email, email_verified_at, role, password, created_at, updated_at FROM people
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM people ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO people (id, name, email, email_verified_at, role, password, created_at, updated_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """),
        MovedTable(
            name: "sessions",
            columns: [.text, .text, .text, .text, .int, .int, .int, .text, .text, .int], keyCount: 1,
            select: """
                SELECT id, person, app, agent, created_at, seen_at, ends_at, refresh_key, refresh_hash, rotated_at
                FROM sessions WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM sessions ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO sessions (id, person, app, agent, created_at, seen_at, ends_at, refresh_key, refresh_hash,
                    rotated_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """),
        MovedTable(
            name: "signing_keys", columns: [.text, .text, .int], keyCount: 1,
            select: "SELECT id, secret, created_at FROM signing_keys WHERE id > $1 ORDER BY id LIMIT $2",
            last: "SELECT id FROM signing_keys ORDER BY id DESC LIMIT 1",
            insert: "INSERT INTO signing_keys (id, secret, created_at) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "messages", columns: [.text, .text, .text, .text, .text, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, sender, kind, content, read_at, created_at, number FROM messages WHERE id > $1
                ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM messages ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO messages (id, person, sender, kind, content, read_at, created_at, number)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """),
        MovedTable(
            name: "credentials", columns: [.text, .text, .text, .int], keyCount: 2,
            select: """
                SELECT kind, subject, person, created_at FROM credentials WHERE (kind, subject) > ($1, $2)
                ORDER BY kind, subject LIMIT $3
                """,
            last: "SELECT kind, subject FROM credentials ORDER BY kind DESC, subject DESC LIMIT 1",
            insert: "INSERT INTO credentials (kind, subject, person, created_at) VALUES ($1, $2, $3, $4)"),
        MovedTable(
            name: "passkeys", columns: [.text, .text, .text, .int, .text, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, name, algorithm, public_key, signatures, created_at, used_at FROM passkeys
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM passkeys ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO passkeys (id, person, name, algorithm, public_key, signatures, created_at, used_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """),
        MovedTable(
            name: "wallets", columns: [.text, .text, .text, .text, .int, .int, .text, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, address, kind, preferred, signs_in, balances, created_at, used_at FROM wallets
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM wallets ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO wallets (id, person, address, kind, preferred, signs_in, balances, created_at, used_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """),
        MovedTable(
            name: "provider_tokens", columns: [.text, .text, .text, .text, .text, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, kind, client, token, attempts, due_at FROM provider_tokens
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM provider_tokens ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO provider_tokens (id, person, kind, client, token, attempts, due_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """),
        MovedTable(
            name: "person_numbers", columns: [.int, .text], keyCount: 1,
            select: "SELECT key, person FROM person_numbers WHERE key > $1 ORDER BY key LIMIT $2",
            last: "SELECT key FROM person_numbers ORDER BY key DESC LIMIT 1",
            insert: "INSERT INTO person_numbers (key, person) VALUES ($1, $2)"),
        MovedTable(
            name: "leftovers", columns: [.text], keyCount: 1,
            select: "SELECT person FROM leftovers WHERE person > $1 ORDER BY person LIMIT $2",
            last: "SELECT person FROM leftovers ORDER BY person DESC LIMIT 1",
            insert: "INSERT INTO leftovers (person) VALUES ($1)"),
        MovedTable(
            name: "moods", columns: [.text, .text, .int, .text, .int, .int, .int], keyCount: 2,
            select: """
                SELECT person, id, scale, note, felt_at, created_at, updated_at FROM moods
                WHERE (person, id) > ($1, $2) ORDER BY person, id LIMIT $3
                """,
            last: "SELECT person, id FROM moods ORDER BY person DESC, id DESC LIMIT 1",
            insert: """
                INSERT INTO moods (person, id, scale, note, felt_at, created_at, updated_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """),
    ]

    private static let profiles = [
        MovedTable(
            name: "settings", columns: [.text, .text], keyCount: 1,
            select: "SELECT person, json FROM settings WHERE person > $1 ORDER BY person LIMIT $2",
            last: "SELECT person FROM settings ORDER BY person DESC LIMIT 1",
            insert: "INSERT INTO settings (person, json) VALUES ($1, $2)"),
        MovedTable(
            name: "profiles",
            columns: [.text, .text, .int, .text, .text, .text, .text, .int, .text, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, place, username, display_name, bio, avatar, preferred, settings, created_at,
                    updated_at
                FROM profiles WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM profiles ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO profiles (id, person, place, username, display_name, bio, avatar, preferred, settings,
                    created_at, updated_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """),
        MovedTable(
            name: "social_accounts", columns: [.text, .text, .text, .text, .text, .int], keyCount: 1,
            select: """
                SELECT id, profile, platform, account, username, connected_at FROM social_accounts WHERE id > $1
                ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM social_accounts ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO social_accounts (id, profile, platform, account, username, connected_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """),
        MovedTable(
            name: "connected_apps", columns: [.text, .text, .text, .text, .text, .int], keyCount: 1,
            select: """
                SELECT id, profile, name, icon, permissions, connected_at FROM connected_apps WHERE id > $1
                ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM connected_apps ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO connected_apps (id, profile, name, icon, permissions, connected_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """),
    ]

    private static let rooms = [
        MovedTable(
            name: "rooms",
            columns: [.int, .text, .text, .text, .int, .int, .int, .int, .int, .int, .int, .int, .int, .int],
            keyCount: 1,
            select: """
                SELECT key, id, name, created_by, created_at, active_at, closed_at, seq, element_count, tombstone_count,
                    forgotten_seq, journal_count, journal_bytes, journal_oldest_at
                FROM rooms WHERE key > $1 ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM rooms ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO rooms (key, id, name, created_by, created_at, active_at, closed_at, seq, element_count,
                    tombstone_count, forgotten_seq, journal_count, journal_bytes, journal_oldest_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
                """),
        MovedTable(
            name: "members", columns: [.text, .int, .int, .int, .int], keyCount: 2,
            select: """
                SELECT account, room, place, joined_at, left_at FROM members WHERE (account, room) > ($1, $2)
                ORDER BY account, room LIMIT $3
                """,
            last: "SELECT account, room FROM members ORDER BY account DESC, room DESC LIMIT 1",
            insert: "INSERT INTO members (account, room, place, joined_at, left_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "journal", columns: [.int, .int, .text, .int, .text, .text, .int], keyCount: 2,
            select: """
                SELECT room, seq, kind, at, json, except_for, incarnation FROM journal WHERE (room, seq) > ($1, $2)
                ORDER BY room, seq LIMIT $3
                """,
            last: "SELECT room, seq FROM journal ORDER BY room DESC, seq DESC LIMIT 1",
            insert: """
                INSERT INTO journal (room, seq, kind, at, json, except_for, incarnation)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """),
        MovedTable(
            name: "elements",
            columns: [.int, .text, .int, .int, .text, .text, .int, .int, .int]
                + [MovedTable.Kind](repeating: .text, count: 2)
                + [.int] + [MovedTable.Kind](repeating: .text, count: 10),
            keyCount: 2,
            select: """
                SELECT room, id, created_seq, seq, kind, created_by, created_at, version, updated_at, updated_by, creation,
                    deleted_at, position_x, position_y, width, height, content, image_url, audio_url, duration,
                    z, color
                FROM elements WHERE (room, id) > ($1, $2) ORDER BY room, id LIMIT $3
                """,
            last: "SELECT room, id FROM elements ORDER BY room DESC, id DESC LIMIT 1",
            insert: """
                INSERT INTO elements (room, id, created_seq, seq, kind, created_by, created_at, version, updated_at,
                    updated_by, creation, deleted_at, position_x, position_y, width, height, content, image_url,
                    audio_url, duration, z, color)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                    $22)
                """),
        MovedTable(
            name: "present", columns: [.int, .text, .int, .int, .text], keyCount: 2,
            select: """
                SELECT room, person, slot, joined_at, profile FROM present WHERE (room, person) > ($1, $2)
                ORDER BY room, person LIMIT $3
                """,
            last: "SELECT room, person FROM present ORDER BY room DESC, person DESC LIMIT 1",
            insert: "INSERT INTO present (room, person, slot, joined_at, profile) VALUES ($1, $2, $3, $4, $5)"),
    ]

    private static let services = [
        MovedTable(
            name: "seats", columns: [.text, .text, .text, .int, .int], keyCount: 2,
            select: """
                SELECT pid, room, person, incarnation, lost_at FROM seats WHERE (pid, room) > ($1, $2)
                ORDER BY pid, room LIMIT $3
                """,
            last: "SELECT pid, room FROM seats ORDER BY pid DESC, room DESC LIMIT 1",
            insert: "INSERT INTO seats (pid, room, person, incarnation, lost_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "answers", columns: [.text, .text, .text, .text, .int], keyCount: 2,
            select: """
                SELECT account, key, fingerprint, answer, at FROM answers WHERE (account, key) > ($1, $2)
                ORDER BY account, key LIMIT $3
                """,
            last: "SELECT account, key FROM answers ORDER BY account DESC, key DESC LIMIT 1",
            insert: "INSERT INTO answers (account, key, fingerprint, answer, at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "pushes",
            columns: [.int, .text, .text, .text, .int, .text, .int, .int, .int, .int, .text], keyCount: 1,
            select: """
                SELECT key, account, room, type, minute, json, due_at, attempts, leased_until, done_at, outcome
                FROM pushes WHERE key > $1 ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM pushes ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO pushes (key, account, room, type, minute, json, due_at, attempts, leased_until, done_at,
                    outcome)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """),
        MovedTable(
            name: "deliveries", columns: [.int, .text, .int, .text], keyCount: 2,
            select: """
                SELECT push, device, badge, outcome FROM deliveries WHERE (push, device) > ($1, $2)
                ORDER BY push, device LIMIT $3
                """,
            last: "SELECT push, device FROM deliveries ORDER BY push DESC, device DESC LIMIT 1",
            insert: "INSERT INTO deliveries (push, device, badge, outcome) VALUES ($1, $2, $3, $4)"),
        MovedTable(
            name: "uploads", columns: [.text, .text, .text, .text, .int, .int, .int, .int, .text, .text], keyCount: 1,
            select: """
                SELECT id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster FROM uploads
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM uploads ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO uploads (id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """),
        MovedTable(
            name: "upload_chunks", columns: [.text, .int, .int], keyCount: 2,
            select: """
                SELECT upload, number, bytes FROM upload_chunks WHERE (upload, number) > ($1, $2)
                ORDER BY upload, number LIMIT $3
                """,
            last: "SELECT upload, number FROM upload_chunks ORDER BY upload DESC, number DESC LIMIT 1",
            insert: "INSERT INTO upload_chunks (upload, number, bytes) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "media", columns: [.text, .text, .text, .text, .int, .int, .int, .real, .int], keyCount: 1,
            select: """
                SELECT key, owner, kind, mime, bytes, width, height, duration, created_at FROM media WHERE key > $1
                ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM media ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO media (key, owner, kind, mime, bytes, width, height, duration, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """),
        MovedTable(
            name: "media_uses", columns: [.text, .text], keyCount: 2,
            select:
                "SELECT media, holder FROM media_uses WHERE (media, holder) > ($1, $2) ORDER BY media, holder LIMIT $3",
            last: "SELECT media, holder FROM media_uses ORDER BY media DESC, holder DESC LIMIT 1",
            insert: "INSERT INTO media_uses (media, holder) VALUES ($1, $2)"),
    ]

    private static let invitations = [
        MovedTable(
            name: "invitations", columns: [.text, .text, .int, .text, .int, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, hash, room, maker, created_at, ends_at, uses_max, uses FROM invitations WHERE id > $1
                ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM invitations ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO invitations (id, hash, room, maker, created_at, ends_at, uses_max, uses)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """)
    ]
}
