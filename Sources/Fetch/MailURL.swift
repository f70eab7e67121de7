/// The address of a mail server: `smtps://host[:port]` with TLS from the beginning, `smtp://host[:port]` with STARTTLS, which
/// the server must offer. On loopback `smtp` is not encrypted.
package struct MailURL: Sendable, Equatable {
    let isSecureAtOnce: Bool
    let server: ServerAddress

    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard text.utf8.count <= 512, parts.count == 2, parts[1].hasPrefix("//") else { return nil }
        switch parts[0].lowercased() {
        case "smtps": isSecureAtOnce = true
        case "smtp": isSecureAtOnce = false
        default: return nil
        }
        let rest = parts[1].dropFirst(2)
        let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard let server = ServerAddress(authority, impliedPort: isSecureAtOnce ? 465 : 587) else { return nil }
        self.server = server
    }

    /// Whether what is sent may go without encryption, because it stays on this machine.
    var isPlain: Bool { !isSecureAtOnce && server.isLoopbackWithoutDNS }

    var text: String {
        let name = server.host.contains(":") ? "[\(server.host)]" : server.host
        return "\(isSecureAtOnce ? "smtps" : "smtp")://\(name):\(server.port)"
    }
}
