extension MovedTable {
    static let accounts = [
        MovedTable(
            name: "accounts", columns: [.text, .text, .text, .text, .text, .int, .text, .int, .int, .int],
            keyCount: 1,
            select: """
                SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at, ended_at
                FROM accounts WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM accounts ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO accounts (id, sub, email, username, first_name, date_of_birth, avatar_url, created_at,
                    updated_at, ended_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                """),
        MovedTable(
            name: "devices", columns: [.text, .text, .int, .text, .text, .text, .text, .int, .text, .int, .text],
            keyCount: 1,
            select: """
                SELECT id, account, seen_at, name, platform, app, app_version, created_at, types, badge, session FROM devices
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM devices ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO devices (id, account, seen_at, name, platform, app, app_version, created_at, types, badge,
                    session)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
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

    static let people = [
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
            columns: [.text, .text, .text, .text, .int, .int, .int, .text, .text, .int, .text], keyCount: 1,
            select: """
                SELECT id, person, app, agent, created_at, seen_at, ends_at, refresh_key, refresh_hash, rotated_at,
                    refresh_network
                FROM sessions WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM sessions ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO sessions (id, person, app, agent, created_at, seen_at, ends_at, refresh_key, refresh_hash,
                    rotated_at, refresh_network)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
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
            name: "credentials", columns: [.text, .text, .text, .int, .text], keyCount: 2,
            select: """
                SELECT kind, subject, person, created_at, email FROM credentials WHERE (kind, subject) > ($1, $2)
                ORDER BY kind, subject LIMIT $3
                """,
            last: "SELECT kind, subject FROM credentials ORDER BY kind DESC, subject DESC LIMIT 1",
            insert: "INSERT INTO credentials (kind, subject, person, created_at, email) VALUES ($1, $2, $3, $4, $5)"),
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
            name: "wallets", columns: [.text, .text, .text, .text, .int, .int, .text, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, person, address, kind, preferred, signs_in, balances, created_at, used_at, claimed_at FROM wallets
                WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM wallets ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO wallets (id, person, address, kind, preferred, signs_in, balances, created_at, used_at,
                    claimed_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
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
            name: "leftovers", columns: [.text, .int], keyCount: 1,
            select: "SELECT person, journals FROM leftovers WHERE person > $1 ORDER BY person LIMIT $2",
            last: "SELECT person FROM leftovers ORDER BY person DESC LIMIT 1",
            insert: "INSERT INTO leftovers (person, journals) VALUES ($1, $2)"),
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

    static let profiles = [
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
}
