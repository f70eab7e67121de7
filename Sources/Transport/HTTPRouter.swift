/// The paths of a service. `/api/*` is every path below `/api/`; a path without a star is only that path.
public struct Mount: Sendable, ExpressibleByArrayLiteral {
    public let paths: [String]

    public init(paths: [String]) {
        precondition(paths.allSatisfy { $0.hasPrefix("/") }, "a path begins with a slash")
        self.paths = paths
    }

    public init(arrayLiteral paths: String...) {
        self.init(paths: paths)
    }
}

/// Answers the requests of one shard: gives each to the service that is mounted at its path.
public final class HTTPRouter: HTTPService {
    private struct Place {
        let service: any HTTPService
        let countsRequests: Bool
        let passesBarriers: Bool
    }

    private let hosts: HostPolicy
    private let prefix: String
    private(set) var services: [any HTTPService] = []
    private var exact: [String: Place] = [:]
    /// By prefix, the longest first.
    private var below: [(prefix: String, place: Place)] = []

    /// - Parameters:
    ///   - hosts: the names under which the server answers.
    ///   - prefix: the path whose services are at the root here.
    public init(hosts: HostPolicy = .any, prefix: String = "") {
        self.hosts = hosts
        self.prefix = prefix
    }

    /// Mounts a service. Of two services at one path the first gets the requests. A single path and a longer prefix
    /// come before a shorter prefix.
    ///
    /// - Parameter countsRequests: whether the service counts its requests itself, each once, with
    ///   `HTTPExchange.admit`. The router counts those of the others.
    /// - Parameter passesBarriers: whether a barrier does not hold off requests for it, because operators or probes use it.
    public func mount(
        _ service: any HTTPService, at mount: Mount, countsRequests: Bool = false, passesBarriers: Bool = false
    ) {
        services.append(service)
        let place = Place(service: service, countsRequests: countsRequests, passesBarriers: passesBarriers)
        for path in mount.paths {
            let prefix = path.dropLast()
            if !path.hasSuffix("*") {
                if exact[path] == nil { exact[path] = place }
            } else if !below.contains(where: { $0.prefix == prefix }) {
                below.append((String(prefix), place))
            }
        }
        below.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    public func handle(_ exchange: HTTPExchange) {
        guard hosts.allows(exchange.head.authority) else { return refuseHost(exchange) }
        exchange.prefix = prefix
        let place = place(of: exchange.path)
        if place?.passesBarriers != true, let barrier = exchange.shard?.barrier(exchange.peer) {
            return refuse(exchange, barrier)
        }
        if place?.countsRequests != true, !exchange.admit() { return }
        if let place { place.service.handle(exchange) } else { exchange.respond(404, text: "Not found\n") }
    }

    private func place(of path: String) -> Place? {
        exact[path] ?? below.first { path.hasPrefix($0.prefix) }?.place
    }

    private func refuseHost(_ exchange: HTTPExchange) {
        guard exchange.admit() else { return }
        exchange.respond(421, [("Content-Type", "application/json")], body: Self.unknownHost)
    }

    private func refuse(_ exchange: HTTPExchange, _ barrier: Barrier) {
        guard exchange.admit() else { return }
        let (status, wait, body) =
            switch barrier {
            case .banned(let end): (403, max(end - (exchange.shard?.unixSeconds ?? end), 1), Self.banned)
            case .bansUnread: (503, 2, Self.notReady)
            }
        exchange.endsConnection = true
        exchange.respond(
            status, [("Content-Type", "application/json"), ("Retry-After", String(wait))], body: body)
    }

    private static let banned = Array(
        #"{"error":"An operator has banned this address for a time.","code":"BANNED"}"#.utf8)

    private static let notReady = Array(
        #"{"error":"The server is not ready: it has not read yet whom operators have banned.","code":"NOT_READY"}"#
            .utf8)

    private static let unknownHost = Array(
        #"{"error":"This server does not answer under this name; the setting public-url names it.","code":"UNKNOWN_HOST"}"#
            .utf8)

    public func shardStopping() {
        for service in services { service.shardStopping() }
    }
}
