import RoomsClient

/// Where a Redis server is, and who we are there: `redis://user:password@host:port`, or `rediss://` for TLS.
package struct RedisServer: Sendable, Equatable {
    package struct Fault: Error, Equatable {
        package let problem: String
    }

    private static let port = 6_379

    let url: ServerURL
    let user: String?
    let password: String?
    /// Without user and password.
    package let shown: String

    package init(_ text: String) throws(Fault) {
        guard let scheme = ["redis://", "rediss://"].first(where: { text.hasPrefix($0) }) else {
            throw Fault(problem: "begins with neither redis:// nor rediss://")
        }
        var rest = text.dropFirst(scheme.count)
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        var (user, password): (String?, String?) = (nil, nil)
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { throw Fault(problem: "names a user without a password") }
            user = parts[0].isEmpty ? nil : String(parts[0])
            password = String(parts[1])
            rest = rest[rest.index(after: at)...]
        }
        guard !rest.contains("/") else { throw Fault(problem: "has a path: channels belong to no database") }
        let hasPort = rest.hasSuffix("]") ? false : rest.contains(":")
        let place = hasPort ? String(rest) : "\(rest):\(Self.port)"
        do throws(ClientError) {
            url = try ServerURL("\(scheme == "rediss://" ? "https" : "http")://\(place)")
        } catch {
            throw Fault(problem: "has no host and port")
        }
        (self.user, self.password) = (user, password)
        shown = scheme + place
    }

    package var isSecure: Bool { url.isSecure }

    /// Servers, with blanks between them.
    package static func list(_ text: [UInt8]) throws(Fault) -> [RedisServer] {
        var servers: [RedisServer] = []
        for word in text.split(whereSeparator: { $0 <= UInt8(ascii: " ") }) {
            servers.append(try RedisServer(String(decoding: word, as: UTF8.self)))
        }
        return servers
    }
}
