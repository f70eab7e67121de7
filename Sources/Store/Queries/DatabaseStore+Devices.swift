import Wire

/// The devices of users.
extension DatabaseStore {
    package func setDevice(
        _ id: String, of account: String, session: String?, at now: Int64, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let device = NewDevice(
                token: id, platform: .onesignal, account: account, app: Device.rooms, appVersion: nil, newName: "",
                session: session)
            try DeviceTable(database).set(device, at: now, most: limits.devicesPerAccountMax)
        }
    }

    package func registerDevice(_ device: NewDevice, at now: Int64, then answer: @escaping Answer<Device>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let table = DeviceTable(database)
            try table.set(device, at: now, most: limits.devicesPerAccountMax)
            guard let known = try table.device(device.token) else { throw .notFound("device") }
            return known
        }
    }

    package func removeDevice(
        _ token: String, unlessSeenAfter time: Int64?, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "DELETE FROM devices WHERE id = $1 AND seen_at <= $2", .text(token), .int(time ?? .max))
        }
    }

    package func unregisterDevice(
        _ token: String, of account: String, app: String, then answer: @escaping Answer<Bool>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "DELETE FROM devices WHERE id = $1 AND account = $2 AND app = $3", .text(token), .text(account),
                .text(app)) > 0
        }
    }

    package func setDeviceTypes(
        _ types: [String: Bool], of token: String, _ account: String, app: String,
        then answer: @escaping Answer<[String: Bool]?>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let table = DeviceTable(database)
            // It locks the row: another node may change other types.
            try database.run("UPDATE devices SET types = types WHERE id = $1", .text(token))
            guard let device = try table.device(token), device.app == app,
                device.account.utf8.elementsEqual(account.utf8)
            else { return nil }
            let all = device.types.merging(types) { $1 }
            try database.run(
                "UPDATE devices SET types = $2 WHERE id = $1", .text(token), .json(DeviceTable.json(of: all)))
            return all
        }
    }

    package func devices(of account: String, then answer: @escaping Answer<[Device]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                """
                SELECT id, account, platform, app, app_version, name, types, badge, created_at, session FROM devices
                WHERE account = $1 ORDER BY seen_at DESC, id
                """, .text(account), read: DeviceTable.device)
        }
    }
}

/// Rows of devices.
struct DeviceTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    /// - Parameter most: how many devices the user may have. The longest unused ones go.
    func set(_ device: NewDevice, at now: Int64, most: Int) throws(StoreError) {
        _ = try AccountTable(database).known(device.account)
        let old = try self.device(device.token)
        let isKept =
            old?.account.utf8.elementsEqual(device.account.utf8) == true && old?.app == device.app && old?.name != ""
        if old != nil, !isKept { try database.run("DELETE FROM devices WHERE id = $1", .text(device.token)) }
        try database.run(
            """
            INSERT INTO devices (id, account, seen_at, name, platform, app, app_version, session, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $3)
            ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, platform = excluded.platform,
                app_version = excluded.app_version, session = excluded.session, badge = 0
            """, .text(device.token), .text(device.account), .int(now), .text(device.newName),
            .text(device.platform.rawValue), .text(device.app), .optional(device.appVersion), .optional(device.session))
        try database.run(
            """
            DELETE FROM devices WHERE account = $1 AND id NOT IN
                (SELECT id FROM devices WHERE account = $1
                    ORDER BY seen_at DESC, CASE WHEN id = $3 THEN 0 ELSE 1 END, id LIMIT $2)
            """, .text(device.account), .int(most), .text(device.token))
    }

    func device(_ token: String) throws(StoreError) -> Device? {
        try database.first(
            """
            SELECT id, account, platform, app, app_version, name, types, badge, created_at, session FROM devices
            WHERE id = $1
            """, .text(token), read: Self.device)
    }

    static func device(_ row: any SQLRow) -> Device {
        Device(
            token: row.text(0), account: row.text(1), platform: DevicePlatform(rawValue: row.text(2)) ?? .onesignal,
            app: row.text(3), appVersion: row.optionalText(4), name: row.optionalText(5) ?? "",
            types: types(row.bytes(6)), badge: row.int(7), createdAt: row.int(8), session: row.optionalText(9))
    }

    private static func types(_ json: [UInt8]) -> [String: Bool] {
        guard let members = (try? JSONReader(json))?.members else { return [:] }
        return Dictionary(members.compactMap { name, value in value.bool.map { (name, $0) } }) { $1 }
    }

    static func json(of types: [String: Bool]) -> [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            for (type, isOn) in types.sorted(by: { $0.key < $1.key }) { json.member(type, isOn) }
            json.endObject()
        }
        return json
    }
}
