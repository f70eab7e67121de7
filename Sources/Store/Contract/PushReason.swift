/// Why a provider has not taken a notification, as the outbox keeps it.
package struct PushReason: Sendable, Equatable {
    /// The name of the provider.
    package let service: String
    /// One word for programs.
    package let kind: String
    package let reason: String

    package init(service: String, kind: String, reason: String) {
        self.service = service
        self.kind = kind
        self.reason = reason
    }

    /// From its text.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[0].hasSuffix(":"), parts[1].hasSuffix(":") else { return nil }
        self.init(
            service: String(parts[0].dropLast()), kind: String(parts[1].dropLast()), reason: String(parts[2]))
    }

    package var text: String { "\(service): \(kind): \(reason)" }
}
