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
        return ["http://localhost", "https://localhost"].contains { origin == $0 || origin.hasPrefix($0 + ":") }
    }
}
