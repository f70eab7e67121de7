import Wire

/// A message of EIP-4361 that a wallet signs: who signs it for whom, once and for a while.
package struct WalletMessage: Sendable, Equatable {
    static let bytesMax = 4_096
    private static let greeting = " wants you to sign in with your Ethereum account:"

    /// `https://`, or empty.
    let scheme: String
    /// `host[:port]` of the page or the app.
    let domain: String
    let address: WalletAddress
    /// A line for the person.
    let statement: String?
    let uri: String
    let chain: Int64
    let nonce: String
    let issuedAt: Int64
    let expiresAt: Int64?
    let notBefore: Int64?

    init(
        domain: String, address: WalletAddress, statement: String, uri: String, chain: Int64, nonce: String,
        issuedAt: Int64, expiresAt: Int64
    ) {
        scheme = ""
        self.domain = domain
        self.address = address
        self.statement = statement
        self.uri = uri
        self.chain = chain
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        notBefore = nil
    }

    var text: String {
        """
        \(domain)\(Self.greeting)
        \(address.checksummed)

        \(statement ?? "")

        URI: \(uri)
        Version: 1
        Chain ID: \(chain)
        Nonce: \(nonce)
        Issued At: \(UTCTime.text(issuedAt))
        Expiration Time: \(UTCTime.text(expiresAt ?? issuedAt))
        """
    }

    // MARK: Reading

    init(reading text: String) throws(WalletFault) {
        guard text.utf8.count <= Self.bytesMax else { throw .form("at most \(Self.bytesMax) bytes") }
        var lines = MessageLines(text)
        let greeting = lines.next()
        guard greeting.hasSuffix(Self.greeting) else { throw .form("“DOMAIN\(Self.greeting)” in its first line") }
        (scheme, domain) = Self.place(String(greeting.dropLast(Self.greeting.count)))
        let shown = lines.next()
        guard let address = WalletAddress(shown) else { throw .checksum(nil) }
        guard address.checksummed.utf8.elementsEqual(shown.utf8) else { throw .checksum(address.checksummed) }
        self.address = address
        guard lines.next().isEmpty else { throw .form("an empty line behind the address") }
        let statement = lines.next()
        self.statement = statement.isEmpty ? nil : statement
        // The empty line behind a statement stands alone where there is none.
        guard statement.isEmpty || lines.next().isEmpty else {
            throw .form("one line for the person, and an empty one")
        }
        uri = try lines.value("URI")
        guard try lines.value("Version") == "1" else { throw .version }
        guard let chain = Int64(try lines.value("Chain ID")), chain > 0 else { throw .form("a number as its Chain ID") }
        self.chain = chain
        nonce = try lines.value("Nonce")
        guard let issuedAt = try lines.time("Issued At") else { throw .form("Issued At behind the nonce") }
        self.issuedAt = issuedAt
        expiresAt = try lines.time("Expiration Time")
        notBefore = try lines.time("Not Before")
        // What follows has no meaning here.
        _ = lines.optional("Request ID")
        if lines.optional("Resources") != nil { lines.skip { $0.hasPrefix("- ") } }
        guard lines.isAtEnd else { throw .form("nothing behind its known lines, in their order") }
    }

    private static func place(_ text: String) -> (scheme: String, domain: String) {
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            return (scheme, String(text.dropFirst(scheme.count)))
        }
        return ("", text)
    }

    // MARK: What it says

    /// The scheme and the place of its URI, as an origin of the web has them; nil for one without.
    var origin: String? {
        guard let end = uri.firstRange(of: "://") else { return nil }
        let rest = uri[end.upperBound...]
        return String(uri[..<end.upperBound] + rest.prefix { !"/?#".contains($0) })
    }

    /// Whether the URI is of the same place as the first line.
    var isOfOnePlace: Bool {
        guard let origin else { return false }
        return scheme.isEmpty ? origin.hasSuffix("://" + domain) : origin == scheme + domain
    }
}

/// The lines of a message, one after another. They end as EIP-4361 has it: a CR before the end is part of its line.
private struct MessageLines {
    private var lines: ArraySlice<Substring>

    init(_ text: String) {
        let unix = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines = unix.map { Substring($0) }[...]
    }

    var isAtEnd: Bool { lines.isEmpty }

    /// Empty at the end.
    mutating func next() -> String { String(lines.popFirst() ?? "") }

    /// The rest of the next line, if that has the name.
    mutating func optional(_ name: String) -> String? {
        guard let line = lines.first, line.hasPrefix(name + ":") else { return nil }
        lines = lines.dropFirst()
        let rest = line.dropFirst(name.count + 1)
        return String(rest.hasPrefix(" ") ? rest.dropFirst() : rest)
    }

    mutating func value(_ name: String) throws(WalletFault) -> String {
        guard let value = optional(name) else { throw .form("\(name) in its place") }
        return value
    }

    mutating func time(_ name: String) throws(WalletFault) -> Int64? {
        guard let text = optional(name) else { return nil }
        guard let time = UTCTime.parse(text), text.utf8.count > 10 else { throw .form("a time as its \(name)") }
        return time
    }

    mutating func skip(_ isSkipped: (Substring) -> Bool) {
        while let line = lines.first, isSkipped(line) { lines = lines.dropFirst() }
    }
}
