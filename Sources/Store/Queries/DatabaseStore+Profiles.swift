import Wire

extension DatabaseStore {
    package func profiles(of person: String, then answer: @escaping Answer<[AppProfile]>) {
        read(then: answer) { (database) throws(StoreError) in try ProfileTable(database, self.limits).all(of: person) }
    }

    package func addProfile(
        _ profile: AppProfile, by session: String?, then answer: @escaping Answer<AppProfile>
    ) {
        writeAlone(counts, byteCount: profile.byteCount, then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            try ProfileTable.lock(profile.person, database)
            try ownDevices.tell(.profileChanged, of: profile.person, in: database)
            return try ProfileTable(database, limits).add(profile)
        }
    }

    package func changeProfile(
        _ id: String, of person: String, _ change: ProfileChange, by session: String?, at now: Int64,
        then answer: @escaping Answer<AppProfile>
    ) {
        let byteCount = 512 + (change.avatar?.utf8.count ?? 0) + (change.bio?.utf8.count ?? 0)
        writeAlone(counts, byteCount: byteCount, then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            let profile = try ProfileTable(database, limits).change(ProfileID(of: person, id), change, at: now)
            try ownDevices.tell(.profileChanged, of: person, in: database)
            return profile
        }
    }

    package func removeProfile(
        _ id: String, of person: String, by session: String?, then answer: @escaping Answer<Bool>
    ) {
        writeAlone(counts, then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            let table = ProfileTable(database, limits)
            guard let profile = try table.profile(ProfileID(of: person, id)) else { return false }
            try table.remove([id])
            try ownDevices.tell(.profileChanged, of: person, in: database)
            guard profile.isPreferred else { return true }
            try database.run(
                """
                UPDATE profiles SET preferred = 1
                WHERE id IN (SELECT id FROM profiles WHERE person = $1 ORDER BY place, id LIMIT 1)
                """, .text(person))
            return true
        }
    }

    package func profile(_ id: ProfileID, then answer: @escaping Answer<AppProfile?>) {
        read(then: answer) { [limits] (database) throws(StoreError) in try ProfileTable(database, limits).profile(id) }
    }

    // MARK: Connections

    package func connectedApps(of profile: ProfileID, then answer: @escaping Answer<[ConnectedApp]>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try ProfileTable(database, limits).check(profile)
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
        writeAlone(counts, byteCount: 512 + app.permissions.count, then: answer) {
            [limits] (database) throws(StoreError) in
            try ProfileTable(database, limits).check(profile)
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

    package func link(
        _ account: SocialAccount, to profile: ProfileID, by session: String?, then answer: @escaping Answer<Void>
    ) {
        writeAlone(counts, then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            try ProfileTable(database, limits).check(profile)
            let isTaken = try database.first(
                "SELECT 1 FROM social_accounts WHERE profile = $1 AND platform = $2 AND account = $3",
                .text(profile.id), .text(account.platform), .text(account.account)
            ) { _ in true }
            guard isTaken == nil else { throw .taken("accountId") }
            let count = try database.first(
                "SELECT count(*) FROM social_accounts WHERE profile = $1", .text(profile.id)
            ) { $0.int(0) }
            try Self.check(count, limits)
            try database.run(
                """
                INSERT INTO social_accounts (id, profile, platform, account, username, connected_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .text(account.id), .text(profile.id), .text(account.platform), .text(account.account),
                .text(account.username), .int(account.connectedAt))
            try ownDevices.tell(.profileChanged, of: profile.person, in: database)
        }
    }

    private static func check(_ count: Int64?, _ limits: StoreLimits) throws(StoreError) {
        guard count ?? 0 < limits.connectionsOfProfileMax else {
            throw .conflict("A profile has at most \(limits.connectionsOfProfileMax) of these.")
        }
    }

    package func disconnect(
        _ kind: ProfileConnection, _ id: String, from profile: ProfileID, by session: String?,
        then answer: @escaping Answer<Bool>
    ) {
        writeAlone(counts, then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            try ProfileTable(database, limits).check(profile)
            let statement: StaticString =
                switch kind {
                case .app: "DELETE FROM connected_apps WHERE id = $1 AND profile = $2"
                case .socialAccount: "DELETE FROM social_accounts WHERE id = $1 AND profile = $2"
                }
            guard try database.run(statement, .text(id), .text(profile.id)) > 0 else { return false }
            // The applications that a profile is connected with are no part of it.
            if kind == .socialAccount { try ownDevices.tell(.profileChanged, of: profile.person, in: database) }
            return true
        }
    }

    // MARK: Settings

    package func settings(of person: String, then answer: @escaping Answer<[UInt8]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first("SELECT json FROM settings WHERE person = $1", .text(person)) { $0.bytes(0) } ?? []
        }
    }

    package func changeSettings(_ change: [UInt8], of person: String, then answer: @escaping Answer<Void>) {
        writeAlone(counts, byteCount: 128 + change.count, then: answer) { [limits] (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            let before = try database.first("SELECT json FROM settings WHERE person = $1", .text(person)) {
                $0.bytes(0)
            }
            let json = try ProfileTable(database, limits).merged(before ?? [], change)
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

    /// Locks what belongs to a person against other nodes until the end of the transaction. Throws `notFound("user")`.
    static func lock(_ person: String, _ database: any SQLConnection) throws(StoreError) {
        let count = try database.run("UPDATE people SET updated_at = updated_at WHERE id = $1", .text(person))
        guard count > 0 else { throw .notFound("user") }
    }

    func all(of person: String) throws(StoreError) -> [AppProfile] {
        let profiles = try database.rows(
            """
            SELECT id, person, username, display_name, bio, avatar, preferred, settings, created_at, updated_at
            FROM profiles WHERE person = $1 ORDER BY place, id
            """, .text(person)
        ) { Self.profile($0) }
        return try withSocialAccounts(
            profiles,
            """
            SELECT social_accounts.id, platform, account, social_accounts.username, connected_at, profile
            FROM social_accounts JOIN profiles ON profiles.id = social_accounts.profile WHERE person = $1
            ORDER BY connected_at, social_accounts.id
            """, of: person)
    }

    func profile(_ id: ProfileID) throws(StoreError) -> AppProfile? {
        let profiles = try database.rows(
            """
            SELECT id, person, username, display_name, bio, avatar, preferred, settings, created_at, updated_at
            FROM profiles WHERE id = $1 AND person = $2
            """, .text(id.id), .text(id.person)
        ) { Self.profile($0) }
        return try withSocialAccounts(
            profiles,
            """
            SELECT id, platform, account, username, connected_at, profile FROM social_accounts WHERE profile = $1
            ORDER BY connected_at, id
            """, of: id.id
        ).first
    }

    private static func profile(_ row: any SQLRow) -> AppProfile {
        AppProfile(
            id: row.text(0), person: row.text(1), username: row.text(2), displayName: row.text(3),
            bio: row.optionalText(4), avatar: row.optionalText(5), isPreferred: row.int(6) == 1,
            settings: row.bytes(7), createdAt: row.int(8), updatedAt: row.int(9))
    }

    private func withSocialAccounts(
        _ profiles: [AppProfile], _ statement: StaticString, of owner: String
    ) throws(StoreError) -> [AppProfile] {
        let accounts = try database.rows(statement, .text(owner)) { row in
            let account = SocialAccount(
                id: row.text(0), platform: row.text(1), account: row.text(2), username: row.text(3),
                connectedAt: row.int(4))
            return (profile: row.text(5), account)
        }
        return profiles.map { profile in
            var profile = profile
            profile.socialAccounts = accounts.filter { $0.profile.utf8.elementsEqual(profile.id.utf8) }.map(\.1)
            return profile
        }
    }

    /// Throws unless the profile is the person's.
    func check(_ id: ProfileID) throws(StoreError) {
        let isKnown = try database.first(
            "SELECT 1 FROM profiles WHERE id = $1 AND person = $2", .text(id.id), .text(id.person)
        ) { _ in true }
        guard isKnown != nil else { throw .notFound("profile") }
    }

    func known(_ id: ProfileID) throws(StoreError) -> AppProfile {
        guard let profile = try profile(id) else { throw .notFound("profile") }
        return profile
    }

    func merged(_ object: [UInt8], _ change: [UInt8]) throws(StoreError) -> [UInt8] {
        guard let merged = JSONObject.merged(object, change), merged.memberCount <= limits.settingsMembersMax,
            merged.json.count <= limits.settingsBytesMax
        else {
            throw .conflict(
                "settings may have \(limits.settingsMembersMax) members and \(limits.settingsBytesMax) bytes.")
        }
        return merged.json
    }

    func add(_ new: AppProfile) throws(StoreError) -> AppProfile {
        try checkFree(new.username, for: new.id)
        let known = try database.first(
            "SELECT count(*), coalesce(max(place), 0) FROM profiles WHERE person = $1", .text(new.person)
        ) { (count: $0.int(0), place: $0.int(1)) }
        let (count, place) = known ?? (0, 0)
        guard count < limits.profilesMax else {
            throw .conflict("A person has at most \(limits.profilesMax) profiles.")
        }
        try database.run(
            """
            INSERT INTO profiles (id, person, place, username, display_name, bio, avatar, preferred, settings, created_at,
                updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
            """, .text(new.id), .text(new.person), .int(place + 1), .text(new.username), .text(new.displayName),
            .optional(new.bio), .optional(new.avatar), .int(count == 0 ? 1 : 0), .json(new.settings),
            .int(new.createdAt))
        return try self.known(ProfileID(of: new.person, new.id))
    }

    func change(_ id: ProfileID, _ change: ProfileChange, at now: Int64) throws(StoreError) -> AppProfile {
        try Self.lock(id.person, database)
        try check(id)
        if let username = change.username { try checkFree(username, for: id.id) }
        if change.isPreferred {
            try database.run("UPDATE profiles SET preferred = 0 WHERE person = $1", .text(id.person))
            try database.run("UPDATE profiles SET preferred = 1 WHERE id = $1", .text(id.id))
        }
        if let settings = change.settings {
            let before = try database.first("SELECT settings FROM profiles WHERE id = $1", .text(id.id)) { $0.bytes(0) }
            try database.run(
                "UPDATE profiles SET settings = $2 WHERE id = $1", .text(id.id),
                .json(try merged(before ?? [], settings)))
        }
        try database.run(
            """
            UPDATE profiles SET username = coalesce($2, username), display_name = coalesce($3, display_name),
                bio = nullif(coalesce($4, bio), ''), avatar = nullif(coalesce($5, avatar), ''), updated_at = $6
            WHERE id = $1
            """, .text(id.id), .optional(change.username), .optional(change.displayName), .optional(change.bio),
            .optional(change.avatar), .int(now))
        return try known(id)
    }

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
