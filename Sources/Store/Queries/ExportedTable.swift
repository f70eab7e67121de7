/// What is exported of a table for a person: the rows that are about the person, in the order of their key, page by page.
struct ExportedTable {
    enum Kind {
        case int, text, time, bool, json
        /// 1 or 0.
        case flag
        /// The key of a file, which the document names by its address.
        case file
        /// Needed for the order alone.
        case hidden
    }

    /// The member of the document.
    let name: String
    /// The tables that it shows.
    let tables: [String]
    let columns: [(name: String, kind: Kind)]
    /// The first values of the key: the columns that order the rows come first.
    let start: [SQLValue]
    /// Rows of the person $1 after a key, with a limit.
    let select: StaticString

    /// Every table with rows about people. Secrets, such as hashes and keys, are not exported.
    static let all = account + signingIn + profiles + inbox + rooms + library + devices

    /// The other tables, each with the reason.
    static let left = [
        "probe": "always empty", "moves": "about the store", "nodes": "about servers",
        "signing_keys": "about the server",
        "journal": "copies of what rooms hold, for clients that come back", "present": "who is in a room now",
        "seats": "places of lost connections, for minutes", "answers": "answers for repeated requests, for a day",
        "pushes": "copies of what has happened in rooms, until they are sent",
        "codes": "hashes of codes, for minutes",
        "allowances":
            "counts under hashed names: of attempts for a day, of network addresses of sign-ins for 30 days",
        "provider_tokens": "secrets of providers, and those of accounts that have ended",
        "leftovers": "people whose accounts have ended",
        "media_uses": "where files are shown, which elements and profiles say",
        "uploads": "files on their way, for a day; then they are media", "upload_chunks": "parts of files on their way",
        "bans": "decisions of operators, until they end", "audit": "what operators did, for 90 days",
        "deliveries": "notifications under way to devices", "library_clock": "about the store",
        "starts": "about the store", "secrets": "about the store",
    ]

    private static let account = [
        ExportedTable(
            name: "account", tables: ["people"],
            columns: [
                ("id", .text), ("name", .text), ("email", .text), ("emailVerifiedAt", .time), ("role", .text),
                ("createdAt", .time), ("updatedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, name, email, email_verified_at, role, created_at, updated_at FROM people
                WHERE id = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "user", tables: ["accounts"],
            columns: [
                ("id", .text), ("email", .text), ("username", .text), ("firstName", .text), ("dateOfBirth", .time),
                ("avatarUrl", .text), ("createdAt", .time), ("updatedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at FROM accounts
                WHERE id = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "numbers", tables: ["person_numbers"], columns: [("number", .int)], start: [.int(Int64.min)],
            select: "SELECT key FROM person_numbers WHERE person = $1 AND key > $2 ORDER BY key LIMIT $3"),
        ExportedTable(
            name: "settings", tables: ["settings"], columns: [("", .hidden), ("settings", .json)], start: [.text("")],
            select: """
                SELECT person, json FROM settings WHERE person = $1 AND person > $2 ORDER BY person LIMIT $3
                """),
    ]

    private static let signingIn = [
        ExportedTable(
            name: "credentials", tables: ["credentials"],
            columns: [("kind", .text), ("subject", .text), ("createdAt", .time), ("email", .text)],
            start: [.text(""), .text("")],
            select: """
                SELECT kind, subject, created_at, email FROM credentials
                WHERE person = $1 AND (kind, subject) > ($2, $3) ORDER BY kind, subject LIMIT $4
                """),
        ExportedTable(
            name: "passkeys", tables: ["passkeys"],
            columns: [("id", .text), ("name", .text), ("createdAt", .time), ("usedAt", .time)], start: [.text("")],
            select: """
                SELECT id, name, created_at, used_at FROM passkeys WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "wallets", tables: ["wallets"],
            columns: [
                ("id", .text), ("address", .text), ("type", .text), ("isPrimary", .flag), ("signsIn", .flag),
                ("balance", .json), ("connectedAt", .time), ("usedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, address, kind, preferred, signs_in, balances, created_at, used_at FROM wallets
                WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "sessions", tables: ["sessions"],
            columns: [
                ("id", .text), ("app", .text), ("agent", .text), ("createdAt", .time), ("seenAt", .time),
                ("endsAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, app, agent, created_at, seen_at, ends_at FROM sessions
                WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
    ]

    private static let profiles = [
        ExportedTable(
            name: "profiles", tables: ["profiles"],
            columns: [
                ("id", .text), ("username", .text), ("displayName", .text), ("bio", .text), ("avatar", .text),
                ("isDefault", .flag), ("settings", .json), ("createdAt", .time), ("updatedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, username, display_name, bio, avatar, preferred, settings, created_at, updated_at FROM profiles
                WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "socialAccounts", tables: ["social_accounts"],
            columns: [
                ("id", .text), ("profileId", .text), ("platform", .text), ("accountId", .text), ("username", .text),
                ("connectedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT social_accounts.id, profile, platform, account, social_accounts.username, connected_at
                FROM social_accounts JOIN profiles ON profiles.id = profile
                WHERE person = $1 AND social_accounts.id > $2 ORDER BY social_accounts.id LIMIT $3
                """),
        ExportedTable(
            name: "apps", tables: ["connected_apps"],
            columns: [
                ("id", .text), ("profileId", .text), ("name", .text), ("icon", .text), ("permissions", .json),
                ("connectedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT connected_apps.id, profile, name, icon, permissions, connected_at
                FROM connected_apps JOIN profiles ON profiles.id = profile
                WHERE person = $1 AND connected_apps.id > $2 ORDER BY connected_apps.id LIMIT $3
                """),
    ]

    private static let inbox = [
        ExportedTable(
            name: "messages", tables: ["messages"],
            columns: [
                ("createdAt", .time), ("id", .text), ("senderId", .text), ("kind", .text), ("content", .text),
                ("readAt", .time),
            ], start: [.int(Int64.min), .text("")],
            select: """
                SELECT created_at, id, sender, kind, content, read_at FROM messages
                WHERE person = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4
                """),
        ExportedTable(
            name: "sentMessages", tables: ["messages"],
            columns: [
                ("id", .text), ("createdAt", .time), ("recipientId", .text), ("kind", .text), ("content", .text),
            ],
            start: [.text("")],
            select: """
                SELECT id, created_at, person, kind, content FROM messages
                WHERE sender = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "moods", tables: ["moods"],
            columns: [
                ("id", .text), ("scale", .int), ("note", .text), ("feltAt", .time), ("createdAt", .time),
                ("updatedAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, scale, note, felt_at, created_at, updated_at FROM moods
                WHERE person = $1 AND id > $2 ORDER BY id LIMIT $3
                """),
    ]

    private static let rooms = [
        ExportedTable(
            name: "rooms", tables: ["rooms", "members"],
            columns: [
                ("", .hidden), ("id", .text), ("name", .text), ("creatorId", .text), ("createdAt", .time),
                ("closedAt", .time), ("joinedAt", .time), ("leftAt", .time),
            ], start: [.int(Int64.min)],
            select: """
                SELECT rooms.key, rooms.id, name, created_by, created_at, closed_at, joined_at, left_at
                FROM members JOIN rooms ON rooms.key = members.room
                WHERE account = $1 AND members.room > $2 ORDER BY members.room LIMIT $3
                """),
        ExportedTable(
            name: "invitations", tables: ["invitations"],
            columns: [
                ("id", .text), ("roomId", .text), ("createdAt", .time), ("endsAt", .time), ("usesMax", .int),
                ("uses", .int),
            ], start: [.text("")],
            select: """
                SELECT invitations.id, rooms.id, invitations.created_at, ends_at, uses_max, uses
                FROM invitations JOIN rooms ON rooms.key = invitations.room
                WHERE maker = $1 AND invitations.id > $2 ORDER BY invitations.id LIMIT $3
                """),
        ExportedTable(
            name: "recordings", tables: ["recordings"],
            columns: [
                ("id", .text), ("roomId", .text), ("startedAt", .time), ("endedAt", .time), ("bytes", .int),
            ], start: [.text("")],
            select: """
                SELECT id, room, started_at / 1000, ended_at / 1000, bytes FROM recordings
                WHERE starter = $1 AND id > $2 AND doomed = 0 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "elements", tables: ["elements"],
            columns: [
                ("", .hidden), ("id", .text), ("roomId", .text), ("type", .text), ("createdAt", .time),
                ("updatedAt", .time), ("positionX", .json), ("positionY", .json), ("width", .json), ("height", .json),
                ("content", .json), ("imageUrl", .json), ("audioUrl", .json), ("duration", .json), ("z", .json),
                ("color", .json),
            ], start: [.int(Int64.min), .text("")],
            // Who made an element is a JSON text.
            select: """
                SELECT elements.room, elements.id, rooms.id, kind, elements.created_at, updated_at, position_x,
                    position_y, width, height, content, image_url, audio_url, duration, z, color
                FROM members JOIN elements ON elements.room = members.room JOIN rooms ON rooms.key = elements.room
                WHERE account = $1 AND elements.created_by = '"' || $1 || '"' AND deleted_at IS NULL
                    AND (elements.room, elements.id) > ($2, $3)
                ORDER BY elements.room, elements.id LIMIT $4
                """),
        ExportedTable(
            name: "uploads", tables: ["media"],
            columns: [
                ("url", .file), ("kind", .text), ("mime", .text), ("bytes", .int), ("createdAt", .time),
            ], start: [.text("")],
            select: """
                SELECT key, kind, mime, bytes, created_at FROM media WHERE owner = $1 AND key > $2 ORDER BY key LIMIT $3
                """),
    ]

    private static let library = [
        ExportedTable(
            name: "handles", tables: ["authors"], columns: [("handle", .text), ("createdAt", .time)],
            start: [.text("")],
            select: "SELECT handle, created_at FROM authors WHERE person = $1 AND handle > $2 ORDER BY handle LIMIT $3"),
        // Stories, chapters, whispers and progress.
        ExportedTable(
            name: "library", tables: ["library"],
            columns: [
                ("id", .text), ("kind", .text), ("storyId", .text), ("chapterId", .text), ("parentId", .text),
                ("slug", .text), ("title", .text), ("text", .text), ("coverUrl", .text), ("position", .int),
                ("percent", .int), ("publishedAt", .time), ("createdAt", .time),
            ], start: [.text("")],
            select: """
                SELECT id, kind, story, chapter, parent, slug, title, body, cover_url, place, percent, published_at,
                    created_at
                FROM library WHERE owner = $1 AND deleted_at IS NULL AND id > $2 ORDER BY id LIMIT $3
                """),
        ExportedTable(
            name: "follows", tables: ["follows"], columns: [("userId", .text), ("createdAt", .time)],
            start: [.text("")],
            select: """
                SELECT followed, created_at FROM follows WHERE follower = $1 AND followed > $2 ORDER BY followed LIMIT $3
                """),
        ExportedTable(
            name: "likes", tables: ["likes"], columns: [("itemId", .text), ("createdAt", .time)], start: [.text("")],
            select: "SELECT item, created_at FROM likes WHERE person = $1 AND item > $2 ORDER BY item LIMIT $3"),
    ]

    private static let devices = [
        ExportedTable(
            name: "devices", tables: ["devices"], columns: [("id", .text), ("seenAt", .time)], start: [.text("")],
            select: "SELECT id, seen_at FROM devices WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3"),
        ExportedTable(
            name: "notificationTypes", tables: ["push_types"], columns: [("type", .text), ("isOn", .bool)],
            start: [.text("")],
            select: "SELECT type, is_on FROM push_types WHERE account = $1 AND type > $2 ORDER BY type LIMIT $3"),
        ExportedTable(
            name: "mutedRooms", tables: ["muted_rooms"], columns: [("roomId", .text)], start: [.text("")],
            select: "SELECT room FROM muted_rooms WHERE account = $1 AND room > $2 ORDER BY room LIMIT $3"),
    ]
}
