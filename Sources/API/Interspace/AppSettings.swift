import Wire

/// Settings that applications keep: a JSON object whose members they choose.
enum AppSettings {
    static let bytesMax = 4_096
    static let membersMax = 64

    /// The object with the members of a change in place of its own; those that are `null` in the change go.
    static func merged(_ object: [UInt8], _ change: [UInt8], at field: String) throws(APIError) -> [UInt8] {
        guard let changes = (try? JSONReader(change))?.members else { throw .invalid(field, "must be an object.") }
        let before = (try? JSONReader(object))?.members ?? []
        var members = before.filter { old in !changes.contains { $0.key == old.key } }
        members += changes.filter { $0.value.kind != .null }
        guard members.count <= membersMax else { throw .invalid(field, "may have at most \(membersMax) members.") }
        let merged = write(members)
        guard merged.count <= bytesMax else { throw .invalid(field, "may have at most \(bytesMax) bytes.") }
        return merged
    }

    /// The object with members that clients expect, where it lacks them.
    static func filled(_ object: [UInt8], with usual: [(key: String, json: String)]) -> [UInt8] {
        var members = (try? JSONReader(object))?.members ?? []
        for (key, json) in usual where !members.contains(where: { $0.key == key }) {
            if let value = try? JSONReader(Array(json.utf8)) { members.append((key, value)) }
        }
        return write(members)
    }

    private static func write(_ members: [(key: String, value: JSONReader)]) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            for (key, value) in members { json.member(key, raw: value.json.span) }
            json.endObject()
        }
        return bytes
    }
}
