extension DatabaseStore {
    package func profiles(of person: String, then answer: @escaping Answer<[AppProfile]>) {
        read(then: answer) { (database) throws(StoreError) in try ProfileTable(database, self.limits).all(of: person) }
    }

    package func addProfile(_ profile: AppProfile, then answer: @escaping Answer<AppProfile>) {
        write(byteCount: profile.byteCount, then: answer) { [limits] (database) throws(StoreError) in
            _ = try PersonTable(database).known(profile.person)
            return try ProfileTable(database, limits).add(profile)
        }
    }

    package func changeProfile(
        _ id: String, of person: String, _ change: ProfileChange, at now: Int64,
        then answer: @escaping Answer<AppProfile>
    ) {
        let byteCount = 512 + (change.avatar?.utf8.count ?? 0) + (change.bio?.utf8.count ?? 0)
        write(byteCount: byteCount, then: answer) { [limits] (database) throws(StoreError) in
            try ProfileTable(database, limits).change(ProfileID(of: person, id), change, at: now)
        }
    }

    package func removeProfile(_ id: String, of person: String, then answer: @escaping Answer<Bool>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let table = ProfileTable(database, limits)
            guard let profile = try table.profile(ProfileID(of: person, id)) else { return false }
            try table.remove([id])
            guard profile.isPreferred, let next = try table.all(of: person).first else { return true }
            try database.run("UPDATE profiles SET preferred = 1 WHERE id = $1", .text(next.id))
            return true
        }
    }

    // MARK: Connections

    package func connectedApps(of profile: ProfileID, then answer: @escaping Answer<[ConnectedApp]>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            _ = try ProfileTable(database, limits).known(profile)
            return try database.rows(
                """
                SELECT id, name, icon, permissions, connected_at FROM connected_apps WHERE profile = $1
                ORDER BY connected_at, id
                """, .text(profile.id)
            ) { row in
                ConnectedApp(
                    id: row.text(0), name: row.text(1), icon: row.optionalText(2), permissions: row.bytes(3),
                    connectedAt: row.int(4))
            }
        }
    }

    package func connect(_ app: ConnectedApp, to profile: ProfileID, then answer: @escaping Answer<Void>) {
        write(byteCount: 512 + app.permissions.count, then: answer) { [limits] (database) throws(StoreError) in
            _ = try ProfileTable(database, limits).known(profile)
            let count = try database.first(
                "SELECT count(*) FROM connected_apps WHERE profile = $1", .text(profile.id)
            ) { $0.int(0) }
            try Self.check(count, limits)
            try database.run(
                """
                INSERT INTO connected_apps (id, profile, name, icon, permissions, connected_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .text(app.id), .text(profile.id), .text(app.name), .optional(app.icon), .json(app.permissions),
                .int(app.connectedAt))
        }
    }

    package func link(_ account: SocialAccount, to profile: ProfileID, then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let known = try ProfileTable(database, limits).known(profile).socialAccounts
            let isTaken = known.contains {
                $0.platform.utf8.elementsEqual(account.platform.utf8)
                    && $0.account.utf8.elementsEqual(account.account.utf8)
            }
            guard !isTaken else { throw .taken("accountId") }
            try Self.check(Int64(known.count), limits)
            try database.run(
                """
                INSERT INTO social_accounts (id, profile, platform, account, username, connected_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .text(account.id), .text(profile.id), .text(account.platform), .text(account.account),
                .text(account.username), .int(account.connectedAt))
        }
    }

    private static func check(_ count: Int64?, _ limits: StoreLimits) throws(StoreError) {
        guard count ?? 0 < limits.connectionsOfProfileMax else {
            throw .conflict("A profile has at most \(limits.connectionsOfProfileMax) of these.")
        }
    }

    package func disconnect(
        _ kind: ProfileConnection, _ id: String, from profile: ProfileID, then answer: @escaping Answer<Bool>
    ) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            _ = try ProfileTable(database, limits).known(profile)
            let statement: StaticString =
                switch kind {
                case .app: "DELETE FROM connected_apps WHERE id = $1 AND profile = $2"
                case .socialAccount: "DELETE FROM social_accounts WHERE id = $1 AND profile = $2"
                }
            return try database.run(statement, .text(id), .text(profile.id)) > 0
        }
    }

    // MARK: Settings

    package func settings(of person: String, then answer: @escaping Answer<[UInt8]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first("SELECT json FROM settings WHERE person = $1", .text(person)) { $0.bytes(0) } ?? []
        }
    }

    package func setSettings(_ json: [UInt8], of person: String, then answer: @escaping Answer<Void>) {
        write(byteCount: 128 + json.count, then: answer) { (database) throws(StoreError) in
            _ = try PersonTable(database).known(person)
            try database.run(
                """
                INSERT INTO settings (person, json) VALUES ($1, $2)
                ON CONFLICT (person) DO UPDATE SET json = excluded.json
                """, .text(person), .json(json))
        }
    }
}

extension AppProfile {
    fileprivate var byteCount: Int { 512 + (avatar?.utf8.count ?? 0) + (bio?.utf8.count ?? 0) + settings.count }
}

/// Reads and writes profiles.
struct ProfileTable {
    private let database: any SQLConnection
    private let limits: StoreLimits

    init(_ database: any SQLConnection, _ limits: StoreLimits) {
        self.database = database
        self.limits = limits
    }

    func all(of person: String) throws(StoreError) -> [AppProfile] {
        var profiles = try database.rows(
            """
            SELECT id, person, username, display_name, bio, avatar, preferred, settings, created_at, updated_at
            FROM profiles WHERE person = $1 ORDER BY place, id
            """, .text(person)
        ) { row in
            AppProfile(
                id: row.text(0), person: row.text(1), username: row.text(2), displayName: row.text(3),
                bio: row.optionalText(4), avatar: row.optionalText(5), isPreferred: row.int(6) == 1,
                settings: row.bytes(7), createdAt: row.int(8), updatedAt: row.int(9))
        }
        for index in profiles.indices { profiles[index].socialAccounts = try socialAccounts(of: profiles[index].id) }
        return profiles
    }

    private func socialAccounts(of profile: String) throws(StoreError) -> [SocialAccount] {
        try database.rows(
            """
            SELECT id, platform, account, username, connected_at FROM social_accounts WHERE profile = $1
            ORDER BY connected_at, id
            """, .text(profile)
        ) { row in
            SocialAccount(
                id: row.text(0), platform: row.text(1), account: row.text(2), username: row.text(3),
                connectedAt: row.int(4))
        }
    }

    func profile(_ id: ProfileID) throws(StoreError) -> AppProfile? {
        try all(of: id.person).first { $0.id.utf8.elementsEqual(id.id.utf8) }
    }

    func known(_ id: ProfileID) throws(StoreError) -> AppProfile {
        guard let profile = try profile(id) else { throw .notFound("profile") }
        return profile
    }

    func add(_ new: AppProfile) throws(StoreError) -> AppProfile {
        try checkFree(new.username, for: new.id)
        let known = try all(of: new.person)
        guard known.count < limits.profilesMax else {
            throw .conflict("A person has at most \(limits.profilesMax) profiles.")
        }
        let place = try database.first(
            "SELECT coalesce(max(place), 0) + 1 FROM profiles WHERE person = $1", .text(new.person)
        ) {
            $0.int(0)
        }
        try database.run(
            """
            INSERT INTO profiles (id, person, place, username, display_name, bio, avatar, preferred, settings, created_at,
                updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
            """, .text(new.id), .text(new.person), .int(place ?? 1), .text(new.username), .text(new.displayName),
            .optional(new.bio), .optional(new.avatar), .int(known.isEmpty ? 1 : 0), .json(new.settings),
            .int(new.createdAt))
        return try self.known(ProfileID(of: new.person, new.id))
    }

    func change(_ id: ProfileID, _ change: ProfileChange, at now: Int64) throws(StoreError) -> AppProfile {
        let before = try known(id)
        if let username = change.username { try checkFree(username, for: id.id) }
        if change.isPreferred {
            try database.run("UPDATE profiles SET preferred = 0 WHERE person = $1", .text(id.person))
        }
        let isPreferred = change.isPreferred || before.isPreferred
        try database.run(
            """
            UPDATE profiles SET username = $2, display_name = $3, bio = $4, avatar = $5, preferred = $6, settings = $7,
                updated_at = $8
            WHERE id = $1
            """, .text(id.id), .text(change.username ?? before.username),
            .text(change.displayName ?? before.displayName), Self.filled(change.bio ?? before.bio),
            Self.filled(change.avatar ?? before.avatar), .int(isPreferred ? 1 : 0),
            .json(change.settings ?? before.settings), .int(now))
        return try known(id)
    }

    private static func filled(_ text: String?) -> SQLValue { .optional(text?.isEmpty == true ? nil : text) }

    func remove(_ ids: [String]) throws(StoreError) {
        for id in ids {
            try database.run("DELETE FROM social_accounts WHERE profile = $1", .text(id))
            try database.run("DELETE FROM connected_apps WHERE profile = $1", .text(id))
            try database.run("DELETE FROM profiles WHERE id = $1", .text(id))
        }
    }

    private func checkFree(_ username: String, for id: String) throws(StoreError) {
        let owner = try database.first("SELECT id FROM profiles WHERE lower(username) = $1", .name(username)) {
            $0.text(0)
        }
        if let owner, !owner.utf8.elementsEqual(id.utf8) { throw .taken("username") }
    }
}
