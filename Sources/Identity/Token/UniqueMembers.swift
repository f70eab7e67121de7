import Wire

/// The members of a JSON object in which each key stands once.
///
/// Readers differ in which of two members with one key they believe. In a token, that would let a claim past whoever
/// looks at the other one, so an object like that is none here.
struct UniqueMembers {
    private let members: [String: JSONReader]

    init?(_ json: [UInt8]) {
        guard let reader = try? JSONReader(json) else { return nil }
        self.init(reader)
    }

    init?(_ reader: JSONReader) {
        guard let list = reader.members else { return nil }
        var members: [String: JSONReader] = [:]
        for (key, value) in list {
            guard members.updateValue(value, forKey: key) == nil else { return nil }
        }
        self.members = members
    }

    subscript(key: String) -> JSONReader? { members[key] }
}
