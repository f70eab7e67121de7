import Wire

/// Settings that applications keep: a JSON object whose members they choose.
enum AppSettings {
    static let bytesMax = 4_096
    static let membersMax = 64

    /// A change of settings in a request, if it has one. With what is there already the store checks the same bounds.
    static func change(in body: FieldValues) throws(APIError) -> [UInt8]? {
        guard let change = body.json("settings") else { return nil }
        // The thread of the store goes over all of it, also over what it removes.
        guard change.count <= 2 * bytesMax else { throw .invalid("settings", "may have at most \(bytesMax) bytes.") }
        guard let merged = JSONObject.merged([], change) else { throw .invalid("settings", "must be an object.") }
        guard merged.memberCount <= membersMax else {
            throw .invalid("settings", "may have at most \(membersMax) members.")
        }
        guard merged.json.count <= bytesMax else { throw .invalid("settings", "may have at most \(bytesMax) bytes.") }
        return change
    }

    /// The object with members that clients expect, where it lacks them.
    static func filled(_ object: [UInt8], with usual: String) -> [UInt8] {
        JSONObject.merged(Array(usual.utf8), object)?.json ?? Array(usual.utf8)
    }
}
