/// Where passkeys and the signatures of wallets are good: the domain that passkeys belong to, and the origins of the pages and
/// apps that use them.
package struct PasskeySite: Sendable, Equatable {
    package static let local = PasskeySite(domain: "localhost", origins: [])

    package let domain: String
    private let origins: Set<String>

    /// - Parameter origins: those besides the domain's own.
    package init(domain: String, origins: [String]) {
        self.domain = domain
        self.origins = Set(origins + ["https://\(domain)"])
    }

    /// That of a client that does not say its own.
    var usualOrigin: String { "\(domain == Self.local.domain ? "http" : "https")://\(domain)" }

    /// On a developer's machine pages come from any port.
    func allows(_ origin: String) -> Bool {
        if origins.contains(origin) { return true }
        guard domain == Self.local.domain else { return false }
        return ["http://localhost", "https://localhost"].contains { local in
            origin == local || origin.hasPrefix(local + ":") && Self.isPort(origin.utf8.dropFirst(local.utf8.count + 1))
        }
    }

    /// What follows it could make another host of it: `http://localhost:1@example.com`.
    private static func isPort(_ digits: Substring.UTF8View) -> Bool {
        (1...5).contains(digits.count) && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
