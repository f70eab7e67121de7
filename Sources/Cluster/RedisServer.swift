import RoomsClient

/// The address of a Redis server and this server's user there: `redis://user:password@host:port`, or `rediss://` for TLS.
///
/// `redis-sentinel://user:password@host:port/name`, or `rediss-sentinel://`, is a Sentinel that knows where the primary
/// with this name is. The user is one of the primary.
package struct RedisServer: Sendable, Equatable {
    package struct Fault: Error, Equatable {
        package let problem: String
    }

    private static let port = 6_379
    private static let sentinelPort = 26_379
    private static let schemes = ["redis://", "rediss://", "redis-sentinel://", "rediss-sentinel://"]

    let url: ServerURL
    /// The name of the primary for which this Sentinel is asked; nil for a Redis server.
    package let sentinelName: String?
    let user: String?
    let password: String?
    /// Without user and password.
    package let shown: String

    package init(_ text: String) throws(Fault) {
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0) }) else {
            throw Fault(problem: "begins with none of redis://, rediss://, redis-sentinel:// and rediss-sentinel://")
        }
        let isSentinel = scheme.hasSuffix("-sentinel://")
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
        sentinelName = isSentinel ? try Self.takeName(from: &rest) : nil
        guard !rest.contains("/") else { throw Fault(problem: "has a path: channels belong to no database") }
        let hasPort = rest.hasSuffix("]") ? false : rest.contains(":")
        let place = hasPort ? String(rest) : "\(rest):\(isSentinel ? Self.sentinelPort : Self.port)"
        do throws(ClientError) {
            url = try ServerURL("\(scheme.hasPrefix("rediss") ? "https" : "http")://\(place)")
        } catch {
            throw Fault(problem: "has no host and port")
        }
        (self.user, self.password) = (user, password)
        shown = scheme + place + (sentinelName.map { "/\($0)" } ?? "")
    }

    /// What stands behind the place of a Sentinel.
    private static func takeName(from rest: inout Substring) throws(Fault) -> String {
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else {
            throw Fault(problem: "names no primary behind the place of the Sentinel")
        }
        rest = parts[0]
        return String(parts[1])
    }

    /// The primary that a Sentinel names. Nil if what it says is no place.
    func primary(at host: String, _ port: String) -> RedisServer? {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        guard let url = try? ServerURL("\(isSecure ? "https" : "http")://\(place)") else { return nil }
        return RedisServer(
            url: url, user: user, password: password, shown: (isSecure ? "rediss://" : "redis://") + place)
    }

    private init(url: ServerURL, user: String?, password: String?, shown: String) {
        (self.url, self.user, self.password, self.shown) = (url, user, password, shown)
        sentinelName = nil
    }

    package var isSecure: Bool { url.isSecure }
    /// Host and port.
    package var authority: String { url.authority }

    /// Servers, with blanks between them.
    package static func list(_ text: [UInt8]) throws(Fault) -> [RedisServer] {
        var servers: [RedisServer] = []
        for word in text.split(whereSeparator: { $0 <= UInt8(ascii: " ") }) {
            servers.append(try RedisServer(String(decoding: word, as: UTF8.self)))
        }
        return servers
    }
}
