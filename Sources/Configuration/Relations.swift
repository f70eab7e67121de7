import Buckets
import Transport

/// What must hold between settings, and not for one of them alone.
package struct Relation: Sendable {
    struct Breach {
        let problem: String
        let right: String
    }

    /// The settings of the relation. It is not checked while one of them could not be read.
    package let settings: [String]
    /// What holds, for the documentation.
    package let promise: String
    let breach: @Sendable (ServerConfiguration) -> Breach?
}

package enum Relations {
    package static let all = identity + accounts + storage + cluster + files + push + network + operators + times

    static func check(_ report: inout ConfigurationReport) {
        for relation in all where relation.settings.allSatisfy(report.isReadable) {
            guard let breach = relation.breach(report.configuration) else { continue }
            report.faults.append(report.finding(relation.settings, breach.problem, right: breach.right))
        }
    }

    private static let identity: [Relation] = [
        Relation(
            settings: [
                "auth", "listen", "apps", "trusted-proxies", "forwarded-for", "proxy-protocol", "public-url",
                "allow-open-to-world",
            ],
            promise: """
                `auth = open` is for clients on this machine, unless `allow-open-to-world` is on: it listens on loopback \
                and Unix sockets only, has no `trusted-proxies`, `forwarded-for` or `proxy-protocol`, and no \
                `public-url` and no host in `apps` but those of loopback.
                """,
            breach: openBreach),
        Relation(
            settings: ["auth-secret", "auth-secret-file", "auth"],
            promise: "`auth = hs256` needs exactly one of `auth-secret` and `auth-secret-file`; other modes allow none."
        ) { configuration in
            let secrets = (configuration.authSecret == nil ? 0 : 1) + (configuration.authSecretFile == nil ? 0 : 1)
            let right = "Right is auth hs256 with auth-secret-file FILE"
            switch (configuration.auth, secrets) {
            case (.hs256, 0): return Relation.Breach(problem: "hs256 needs a shared secret", right: right)
            case (.hs256, 1), (.open, 0), (.jwks, 0), (.accounts, 0): return nil
            case (.hs256, _): return Relation.Breach(problem: "there are two secrets", right: right)
            case (let mode, _):
                return Relation.Breach(problem: "auth \(mode.rawValue) uses no shared secret", right: right)
            }
        },
        Relation(
            settings: ["auth-jwks-url", "auth-issuer", "auth-audience", "auth"],
            promise: "`auth = jwks` needs `auth-jwks-url`, `auth-issuer` and `auth-audience`.",
            breach: keySetBreach),
        Relation(
            settings: ["auth-ca-file", "auth-jwks-url", "auth"],
            promise: "`auth-ca-file` needs `auth = jwks` and an `auth-jwks-url` of https."
        ) { configuration in
            guard configuration.authCAFile != nil else { return nil }
            if configuration.auth == .jwks, configuration.authJWKSURL?.lowercased().hasPrefix("https:") ?? true {
                return nil
            }
            return Relation.Breach(
                problem: "there is no key server whose certificate could be checked",
                right: "Right is auth jwks with an auth-jwks-url of https, or to remove it")
        },
        Relation(
            settings: ["auth-issuer", "auth-audience", "auth"],
            promise: "`auth = open` allows neither `auth-issuer` nor `auth-audience`."
        ) { configuration in
            let isSet = configuration.authIssuer != nil || configuration.authAudience != nil
            guard configuration.auth == .open, isSet else { return nil }
            return Relation.Breach(
                problem: "auth open checks no tokens", right: "Right is auth jwks or hs256, or to remove them")
        },
    ]

    private static func openBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        guard configuration.auth == .open, !configuration.allowOpenToWorld, let sign = publication(configuration) else {
            return nil
        }
        return Relation.Breach(
            problem: "auth is open and \(sign): any client could connect",
            right: """
                Right is auth hs256 or jwks, or listen on 127.0.0.1 without a proxy, or --allow-open-to-world if that is \
                what you want
                """)
    }

    /// Why clients on other machines can reach the server; nil if they cannot.
    static func publication(_ configuration: ServerConfiguration) -> String? {
        if let address = configuration.addresses.first(where: { !$0.isLocal }) {
            return "\(address) can be reached from other machines"
        }
        if !configuration.trustedProxies.isEmpty || configuration.forwardedFor || configuration.proxyProtocol {
            return "a proxy brings clients of other machines"
        }
        if let name = configuration.apps.compactMap(\.host).first(where: { !HostPort.Host.name($0).isLoopback }) {
            return "apps names the server \(name) for other machines"
        }
        guard let url = configuration.publicURL, PlainURL(url)?.place?.host.isLoopback != true else { return nil }
        return "public-url names the server for other machines"
    }

    private static func keySetBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        guard configuration.auth == .jwks else {
            guard configuration.authJWKSURL != nil else { return nil }
            let mode = configuration.auth.rawValue
            return Relation.Breach(
                problem: "auth \(mode) uses no provider's keys", right: "Right is auth jwks")
        }
        let fields = [
            ("auth-jwks-url", configuration.authJWKSURL), ("auth-issuer", configuration.authIssuer),
            ("auth-audience", configuration.authAudience),
        ]
        let missing = fields.filter { $0.1 == nil }.map(\.0)
        guard !missing.isEmpty else { return nil }
        return Relation.Breach(
            problem: "jwks lacks \(missing.joined(separator: " and "))",
            right: "Right is all three: the keys' address, the issuer and the audience of the tokens")
    }

    private static let storage: [Relation] = [
        Relation(settings: ["store", "store-file"], promise: "`store` and `store-file` exclude each other.") {
            guard $0.store != nil, $0.storeFile != nil else { return nil }
            return Relation.Breach(problem: "there are two stores", right: "Right is store-file FILE")
        }
    ]

    private static let files: [Relation] = [
        Relation(
            settings: [
                "media-bucket", "media-bucket-key-id", "media-bucket-key", "media-bucket-key-file", "media", "data",
            ],
            promise: """
                `media-bucket` names a bucket, and needs `media-bucket-key-id`, exactly one of `media-bucket-key` and \
                `media-bucket-key-file`, and `media` or `data`. Without it none of the first three is allowed.
                """,
            breach: filesBreach)
    ]

    private static func filesBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let keys = (configuration.mediaBucketKey == nil ? 0 : 1) + (configuration.mediaBucketKeyFile == nil ? 0 : 1)
        guard let bucket = configuration.mediaBucket else {
            guard configuration.mediaBucketKeyID != nil || keys > 0 else { return nil }
            return Relation.Breach(problem: "there is no bucket", right: "Right is media-bucket URL")
        }
        if Bucket.Place(bucket) == nil {
            let right = "Right is the store's address, a slash and the bucket's name, in letters, digits and -._~"
            return Relation.Breach(problem: "the address names no bucket", right: right)
        }
        if configuration.mediaDirectory == nil {
            return Relation.Breach(problem: "files on their way need a directory", right: "Right is media DIR")
        }
        let scope = (configuration.mediaBucketKeyID ?? " ") + configuration.mediaBucketRegion
        if keys != 1 || scope.utf8.contains(where: { "/, ".utf8.contains($0) }) {
            let right =
                "Right is media-bucket-key-id ID and media-bucket-key-file FILE, the id without blanks and slashes"
            return Relation.Breach(problem: "requests to the bucket cannot be signed", right: right)
        }
        return nil
    }

    private static let cluster: [Relation] = [
        Relation(
            settings: [
                "cluster-node", "store", "store-file", "cluster-redis", "cluster-redis-file", "cluster-secret",
                "cluster-secret-file",
            ],
            promise: """
                `cluster-node` needs `store`, `cluster-redis` and `cluster-secret`, or their files. Each of the last two is \
                given once, and only with `cluster-node`.
                """,
            breach: clusterBreach)
    ]

    private static func clusterBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let right = "Right is cluster-node N with store-file FILE, cluster-redis URLS and cluster-secret-file FILE"
        let redis = (configuration.clusterRedis == nil ? 0 : 1) + (configuration.clusterRedisFile == nil ? 0 : 1)
        let secrets = (configuration.clusterSecret == nil ? 0 : 1) + (configuration.clusterSecretFile == nil ? 0 : 1)
        guard configuration.clusterNode != nil else {
            guard redis + secrets > 0 else { return nil }
            return Relation.Breach(problem: "the server has no number in a cluster", right: right)
        }
        if configuration.store == nil, configuration.storeFile == nil {
            return Relation.Breach(problem: "the nodes of a cluster share a PostgreSQL database", right: right)
        }
        if redis != 1 {
            return Relation.Breach(
                problem: redis == 0 ? "the nodes have no Redis server" : "there are two lists of Redis servers",
                right: right)
        }
        if secrets == 1 { return nil }
        return Relation.Breach(
            problem: secrets == 0 ? "the cluster has no secret" : "there are two secrets", right: right)
    }

    private static let network: [Relation] = [
        Relation(
            settings: ["listen"], promise: "`listen` has at least one address, and none twice (port 0 excepted)."
        ) { configuration in
            if configuration.listen.isEmpty {
                return Relation.Breach(problem: "there is no address to listen on", right: "Right is HOST:PORT")
            }
            var seen: Set<ListenAddress> = []
            for address in configuration.listen where !seen.insert(address).inserted {
                if case .tcp(_, port: 0) = address { continue }
                return Relation.Breach(problem: "\(address) is listed twice", right: "List each address once")
            }
            return nil
        },
        Relation(settings: ["tls-cert", "tls-key"], promise: "`tls-cert` and `tls-key` need each other.") {
            configuration in
            switch (configuration.tlsCert, configuration.tlsKey) {
            case (nil, nil), (_?, _?): nil
            case (_?, nil):
                Relation.Breach(problem: "the certificate has no key", right: "Add --tls-key FILE")
            case (nil, _?):
                Relation.Breach(problem: "the key has no certificate", right: "Add --tls-cert FILE")
            }
        },
        Relation(settings: ["origins"], promise: "`*` in `origins` stands alone.") { configuration in
            guard configuration.origins.contains("*"), configuration.origins.count > 1 else { return nil }
            return Relation.Breach(
                problem: "* allows every page, so the other origins have no effect", right: "Right is * or a list")
        },
        Relation(
            settings: ["trusted-proxies", "proxy-protocol", "forwarded-for", "listen"],
            promise: "`proxy-protocol` and `forwarded-for` need `trusted-proxies` or a Unix socket in `listen`."
        ) { configuration in
            let needsProxy = configuration.proxyProtocol || configuration.forwardedFor
            guard needsProxy, configuration.trustedProxies.isEmpty, !configuration.listen.contains(where: \.isUnix)
            else { return nil }
            return Relation.Breach(
                problem: "no proxy is trusted, so no proxy could state a client's address",
                right: "Right is --trusted-proxies CIDR, like 10.0.0.0/8, or to listen on a Unix socket")
        },
    ]

    private static let operators: [Relation] = [
        Relation(
            settings: ["flight-recorder", "flight-recorder-dir", "data"],
            promise: "`flight-recorder` needs `flight-recorder-dir` or `data`."
        ) { configuration in
            guard !configuration.flightRecorder.isEmpty, configuration.flightRecorderDir == nil,
                configuration.data == nil
            else { return nil }
            return Relation.Breach(
                problem: "there is no place for what is recorded", right: "Right is flight-recorder-dir DIR")
        },
        Relation(
            settings: ["record-rooms", "recordings", "recordings-dir", "data", "store", "store-file"],
            promise: "`record-rooms` needs `recordings`, a store, and a place for the files."
        ) { configuration in
            guard !configuration.recordRooms.isEmpty else { return nil }
            guard configuration.recordings else {
                return Relation.Breach(problem: "nothing is recorded", right: "Right is recordings on")
            }
            let hasStore = configuration.data != nil || configuration.store != nil || configuration.storeFile != nil
            guard !hasStore || configuration.recordingDirectory == nil else { return nil }
            return Relation.Breach(
                problem: "there is no place for recordings",
                right: "Right is data DIR, or recordings-dir DIR with a store")
        },
        Relation(
            settings: ["operator-token", "operator-token-file"],
            promise: "There is at most one of `operator-token` and `operator-token-file`."
        ) { configuration in
            guard configuration.operatorToken != nil, configuration.operatorTokenFile != nil else { return nil }
            return Relation.Breach(problem: "there are two tokens", right: "Right is operator-token-file FILE")
        },
        Relation(
            settings: ["metrics-listen", "operator-token", "operator-token-file"],
            promise: "`metrics-listen` on addresses that other machines can reach needs an operators' token."
        ) { configuration in
            let isGuarded = configuration.operatorToken != nil || configuration.operatorTokenFile != nil
            guard !isGuarded, let first = configuration.metricsListen.first(where: { !$0.isLocal }) else { return nil }
            return Relation.Breach(
                problem: "\(first) can be reached from other machines: any client could read the metrics",
                right: "Right is operator-token-file FILE, or metrics-listen on 127.0.0.1")
        },
        Relation(
            settings: ["metrics-listen", "listen"], promise: "`metrics-listen` has no address of `listen`."
        ) { configuration in
            guard let both = configuration.metricsListen.first(where: configuration.listen.contains) else { return nil }
            if case .tcp(_, port: 0) = both { return nil }
            return Relation.Breach(problem: "\(both) is in both", right: "Right is another port")
        },
    ]

    private static let times: [Relation] = [
        Relation(settings: ["tick-min", "tick-max"], promise: "`tick-min` is at most `tick-max`.") { configuration in
            guard configuration.tickMin > configuration.tickMax else { return nil }
            let (least, most) = (configuration.tickMin, configuration.tickMax)
            return Relation.Breach(
                problem: "tick-min \(DurationText.format(least)) is more than tick-max \(DurationText.format(most))",
                right: "Right is a tick-min of at most \(DurationText.format(most))")
        },
        Relation(
            settings: ["idle-timeout", "ping-interval", "ping-timeout"],
            promise: "`idle-timeout` is more than `ping-interval` + `ping-timeout`, or it would end live connections."
        ) { configuration in
            let heartbeat = configuration.pingInterval + configuration.pingTimeout
            guard configuration.idleTimeout <= heartbeat else { return nil }
            let idle = DurationText.format(configuration.idleTimeout)
            let sum = DurationText.format(heartbeat)
            return Relation.Breach(
                problem: "idle-timeout \(idle) is not more than ping-interval + ping-timeout, \(sum)",
                right: "Right is an idle-timeout of \(DurationText.format(heartbeat + .seconds(15))), or faster pings")
        },
        Relation(
            settings: ["connections-per-address-max", "connections-max"],
            promise: "`connections-per-address-max` is at most `connections-max`."
        ) { configuration in
            let (one, all) = (configuration.connectionsPerAddressMax, configuration.connectionsMax)
            guard one > all else { return nil }
            return Relation.Breach(
                problem: "\(one) connections of one address are more than connections-max, \(all)",
                right: "Right is a number up to \(all), or 0 for no limit")
        },
        Relation(
            settings: ["sessions-max", "sessions-pending-max", "sessions-per-address-max", "connections-max"],
            promise: "`sessions-pending-max` and `sessions-per-address-max` are at most `sessions-max`."
        ) { configuration in
            let bounds = configuration.sessionBounds
            guard max(bounds.pending, bounds.perAddress) > bounds.all else { return nil }
            return Relation.Breach(
                problem: "a bound for a part of the sessions is more than sessions-max, \(bounds.all)",
                right: "Right are numbers up to \(bounds.all), or a greater sessions-max")
        },
        Relation(
            settings: ["unread-size-max", "max-payload"],
            promise: "`unread-size-max` is at least twice `max-payload`: one answer must fit."
        ) { configuration in
            guard configuration.unreadSizeMax < 2 * configuration.maxPayload else { return nil }
            let least = SizeText.format(2 * configuration.maxPayload)
            return Relation.Breach(
                problem: "unread-size-max is less than two messages of max-payload",
                right: "Right is at least \(least), or a smaller max-payload")
        },
        Relation(
            settings: ["connections-max", "threads"], promise: "`connections-max` is at least `threads`."
        ) { configuration in
            guard configuration.connectionsMax < configuration.threads else { return nil }
            return Relation.Breach(
                problem:
                    "\(configuration.connectionsMax) connections are fewer than \(configuration.threads) threads",
                right: "Right is at least one connection for each thread")
        },
    ]
}
