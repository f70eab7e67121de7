import Wire

/// The members of a JSON object in which each key occurs once.
///
/// Readers differ in which of two members with one key they use. In a token, this could carry a claim past a check of
/// the other member, so such an object is refused.
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
