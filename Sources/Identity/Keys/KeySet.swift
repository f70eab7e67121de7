import Fetch
import Wire

/// The usable keys of a provider, from a JWK set (RFC 7517).
struct KeySet: Sendable {
    struct Entry: Sendable {
        let id: [UInt8]?
        let key: PublicKey
    }

    let entries: [Entry]

    /// Keys of other kinds, for other purposes, or with faults are left out, because a provider may publish some for
    /// other services. A set without any usable key is a fault.
    init(_ json: [UInt8], _ limits: IdentityLimits) throws(FetchFault) {
        guard let set = try? JSONReader(json), let list = set["keys"]?.items else {
            throw FetchFault("the answer is no JSON object with a list of keys")
        }
        guard list.count <= limits.keysMax else { throw FetchFault("there are more than \(limits.keysMax) keys") }
        entries = list.compactMap { Self.entry($0, limits) }
        guard !entries.isEmpty else { throw FetchFault("none of the \(list.count) keys is one for RS256 or ES256") }
    }

    private static func entry(_ json: JSONReader, _ limits: IdentityLimits) -> Entry? {
        guard let members = UniqueMembers(json), isForSignatures(members), let key = key(members, limits) else {
            return nil
        }
        // A key with a stated algorithm is used for that algorithm only.
        if let algorithm = members["alg"] {
            guard algorithm.string == key.algorithm.rawValue else { return nil }
        }
        guard let id = members["kid"] else { return Entry(id: nil, key: key) }
        guard let bytes = id.string?.utf8, bytes.count <= limits.keyIDBytesMax else { return nil }
        return Entry(id: Array(bytes), key: key)
    }

    private static func isForSignatures(_ members: UniqueMembers) -> Bool {
        if let use = members["use"] {
            guard use.string == "sig" else { return false }
        }
        guard let operations = members["key_ops"] else { return true }
        return operations.items?.contains { $0.string == "verify" } ?? false
    }

    private static func key(_ members: UniqueMembers, _ limits: IdentityLimits) -> PublicKey? {
        func number(_ name: String) -> [UInt8]? {
            members[name]?.string.flatMap { Base64URL.decode($0.utf8.span) }
        }
        switch members["kty"]?.string {
        case "RSA":
            guard let modulus = number("n"), let exponent = number("e") else { return nil }
            return PublicKey(modulus: modulus, exponent: exponent, limits)
        case "EC" where members["crv"]?.string == "P-256":
            guard let x = number("x"), let y = number("y") else { return nil }
            return PublicKey(x: x, y: y)
        default: return nil
        }
    }

    /// The key that a token names. A token without a key id means the only key for its algorithm.
    func key(_ id: [UInt8]?, _ algorithm: SignatureAlgorithm) -> PublicKey? {
        let fitting = entries.filter { $0.key.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting.first?.key : nil }
        return fitting.first { $0.id == id }?.key
    }
}
