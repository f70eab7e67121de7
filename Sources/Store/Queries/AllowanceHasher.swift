import Wire

/// Makes the names under which the store has allowances: the kind, which is the part before the first colon, and a hash of the whole
/// under the store's secret. So nobody reads from the rows whose telephone, address or account they are about, also not after its end.
struct AllowanceHasher: Sendable {
    private let secret: [UInt8]

    init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    func name(of allowance: Allowance) throws(StoreError) -> String {
        if let person = allowance.person { return try beginning(ofPerson: person) + (try hash(allowance.name)) }
        guard let colon = allowance.name.firstIndex(of: ":") else { return allowance.name }
        return allowance.name[...colon] + (try hash(allowance.name))
    }

    /// The beginning of the names of all limits that end with a person's account.
    func beginning(ofPerson id: String) throws(StoreError) -> String { "owner:" + (try hash("owner:\(id)")) + ":" }

    private func hash(_ text: String) throws(StoreError) -> String {
        guard let code = HMACSHA256.code(key: secret, message: Array(text.utf8)) else { throw .overloaded }
        return Hex.text(code.prefix(16))
    }
}
