import Wire

extension RecordingLine {
    /// Events that show nobody.
    private static let withoutPeople = ["touch:", "element:"]
    /// The members of events whose values are users.
    private static let users = ["user", "creator"]
    /// Members of a user that readers of a recording see.
    private static let shown = ["id", "auth0Id", "username", "firstName", "avatarUrl", "createdAt"]
    /// Members that programs expect in a user, with the values that replace the real ones.
    private static let hidden = ["email": "", "dateOfBirth": "1970-01-01T00:00:00Z"]

    /// The line for everybody who may read it later: its users without their e-mail addresses and dates of birth, which were for
    /// those who shared the room with them. Nil for an argument that cannot be read.
    package var clean: RecordingLine? {
        guard !Self.withoutPeople.contains(where: name.hasPrefix), name != RecordingHead.name else { return self }
        guard let json = try? JSONReader(argument) else { return nil }
        var clean: [UInt8] = []
        JSONWriter.write(into: &clean) { Self.write(json, of: "", into: &$0) }
        return RecordingLine(time: time, name: name, argument: clean)
    }

    /// - Parameter key: the name of the member whose value it is.
    private static func write(_ value: JSONReader, of key: String, into json: inout JSONWriter) {
        if let members = value.members {
            let isUser = users.contains(key)
            json.beginObject()
            for (name, member) in members where !isUser || shown.contains(name) || hidden[name] != nil {
                json.key(name)
                if isUser, let instead = hidden[name] {
                    json.string(instead)
                } else {
                    write(member, of: name, into: &json)
                }
            }
            json.endObject()
        } else if key != "elements", let items = value.items {
            json.beginArray()
            for item in items { write(item, of: "", into: &json) }
            json.endArray()
        } else {
            json.raw(value.json.span)
        }
    }
}
