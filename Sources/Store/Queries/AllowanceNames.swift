import Wire

/// The names of limits, as the store has them: the kind, which is the part before the first colon, and a hash of the whole under the
/// store's secret. So nobody reads from the rows whose telephone, address or account they are about, also not after its end.
struct AllowanceNames: Sendable {
    private let secret: [UInt8]

    init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// A name that a person's account has ended with begins as `stored(owners:)`.
    func stored(_ name: String) throws(StoreError) -> String {
        guard let colon = name.firstIndex(of: ":") else { return name }
        guard let person = AllowanceName.person(of: name) else { return name[...colon] + (try hash(name)) }
        return try stored(owners: person) + (try hash(name))
    }

    /// How all names of limits begin that end with a person's account.
    func stored(owners person: String) throws(StoreError) -> String {
        let owners = AllowanceName.owners(of: person)
        return owners.prefix { $0 != ":" } + ":" + (try hash(owners)) + ":"
    }

    private func hash(_ text: String) throws(StoreError) -> String {
        guard let code = HMACSHA256.code(key: secret, message: Array(text.utf8)) else { throw .overloaded }
        return Hex.text(code.prefix(16))
    }
}
