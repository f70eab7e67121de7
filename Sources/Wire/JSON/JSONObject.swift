/// JSON objects as a whole.
public enum JSONObject {
    /// The object with the members of a change in place of its own; those that are `null` in the change go. Of members with
    /// the same name the last one counts. Nil when the change is no object.
    public static func merged(_ object: [UInt8], _ change: [UInt8]) -> (json: [UInt8], memberCount: Int)? {
        guard let changes = (try? JSONReader(change))?.members else { return nil }
        let all = ((try? JSONReader(object))?.members ?? []) + changes
        // Names are compared byte for byte. Clients choose how many there are.
        var places: [[UInt8]: Int] = [:]
        for (index, member) in all.enumerated() { places[Array(member.key.utf8)] = index }
        let members = places.values.sorted().map { all[$0] }.filter { $0.value.kind != .null }
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            for (key, value) in members { json.member(key, raw: value.json.span) }
            json.endObject()
        }
        return (json, members.count)
    }
}
