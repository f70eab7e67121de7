import Sessions
import Transport
import Wire

/// The parts of `scheme://authority/rest` that a configuration has to look at.
struct PlainURL {
    let scheme: String
    let authority: String
    /// All behind the authority: path, query, fragment.
    let rest: String

    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, ASCII.isLetter(first),
            scheme.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        let behind = text[colon...].dropFirst(3)
        let end = behind.firstIndex { "/?#".contains($0) } ?? behind.endIndex
        authority = String(behind[..<end])
        rest = String(behind[end...])
    }

    /// Nil if the authority is more than a host and a port, or none.
    var place: HostPort? { HostPort(authority) }

    /// As a browser writes it: in small letters, without the port that the scheme implies.
    var origin: String? { WebOrigin("\(scheme)://\(authority)")?.description }

    /// Whether the host is this machine, and is found without a name server: some resolvers ask theirs for the names below
    /// localhost.
    var isLoopbackWithoutDNS: Bool {
        switch place?.host {
        case .name(let name): name == "localhost"
        case .address(let address): address.isLoopback
        case nil: false
        }
    }
}
