import Transport

/// The table of all settings, in the order in which help shows them.
package enum Settings {
    package static let all =
        listening + identity + accounts + muejam + storage + cluster + push + tls + browsers + protocols + rooms + rates
        + media + recordings + limits + compression + operation

    package static func named(_ name: String) -> Setting? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The option that names the file. It is no row, since a file cannot name another.
    package static let fileOption = "config"
    static let fileEnvironmentName = "ROOMS_CONFIG"

    private static let listening: [Setting] = [
        Setting(
            "listen", .listening, list: \.listen, .listen,
            "The addresses at which the server accepts connections; may be repeated.",
            """
            IP addresses only, and localhost for 127.0.0.1. Port 0 takes any free port, and the log says which. \
            0.0.0.0 means all addresses of IPv4, and [::] those of IPv6 as well.
            """),
        Setting(
            "threads", .listening, \.threads, .count(1...256), default: "the number of cores",
            "How many threads serve connections.",
            """
            Each thread has its own event loop and connections. More threads than the cores that this process may use \
            only cost memory.
            """),
    ]

    private static let identity: [Setting] = [
        Setting(
            "auth", .identity, \.auth, .choice,
            "What a client must show: nothing, or a token: of a shared secret, a provider, or this server.",
            """
            open admits everybody and is for trials on one machine: it needs allow-open-to-world for other machines, \
            and answers only under names that the server knows (421 otherwise). hs256 is for small deployments and \
            tests. jwks takes RS256 and ES256 tokens of an OpenID provider. accounts is for users who sign up at this \
            server, and needs data or store.
            """),
        Setting(
            "allow-open-to-world", .identity, \.allowOpenToWorld, .flag,
            "Let auth=open serve clients on other machines.",
            """
            Every client that reaches the port, or the proxy in front of it, can then read and change every room. \
            Clients call the server by an IP address, localhost, or the name in public-url. A request with another \
            name in Host is answered 421, because a web page could have redirected that name to the server (DNS \
            rebinding).
            """),
        Setting(
            "auth-secret", .identity, optional: \.authSecret, .secret,
            "The shared secret of hs256. Better given as a file.",
            """
            Every user of the machine can read options, and every child process can read environment variables. \
            auth-secret-file avoids both.
            """),
        Setting(
            "auth-secret-file", .identity, optional: \.authSecretFile, .path("FILE"),
            "File that holds the shared secret of hs256.",
            """
            A line end after the secret is not part of it. Only the server's user should be able to read the file \
            (mode 0400).
            """),
        Setting(
            "auth-issuer", .identity, optional: \.authIssuer, .text(most: 512),
            "The `iss` that a token must have; needed for jwks.",
            "The server compares it byte for byte: Auth0's issuers end in a slash."),
        Setting(
            "auth-audience", .identity, optional: \.authAudience, .text(most: 512),
            "The `aud` that a token must have; needed for jwks.",
            "Without it, a token that the provider made for another service would be valid here."),
        Setting(
            "auth-jwks-url", .identity, optional: \.authJWKSURL, .keySetURL,
            "The address at which the provider publishes its keys; needed for jwks.",
            """
            Over https, because an attacker who can replace the keys can sign in as any user. The server follows no \
            redirects. It fetches the keys every ten minutes, and when a token names an unknown key, at most every \
            five seconds. While it cannot fetch them, it uses the keys that it has, for up to a day.
            """),
        Setting(
            "auth-ca-file", .identity, optional: \.authCAFile, .path("FILE"),
            "Certificate authorities in PEM for the provider's certificate.",
            """
            For a provider whose certificate comes from a private authority. Without this setting the server trusts \
            the authorities of the system.
            """),
        Setting(
            "auth-clock-skew", .identity, \.authClockSkew, .duration(.zero ... .seconds(600)),
            "How far the clock of the token's issuer may be off.",
            """
            The server accepts a token for this long after its end (`exp`) and before its beginning (`nbf`, `iat`).
            """),
    ]

    private static let tls: [Setting] = [
        Setting(
            "tls-cert", .tls, optional: \.tlsCert, .path("FILE"),
            "Certificate chain in PEM, with the server's own certificate first; turns TLS on.",
            """
            Needs tls-key. On SIGHUP the server reads both files again. Open connections keep the certificate that \
            they have.
            """),
        Setting(
            "tls-key", .tls, optional: \.tlsKey, .path("FILE"),
            "Private key of the certificate in PEM, without a pass phrase.",
            "Needs tls-cert. Only the server's user should be able to read the file (mode 0400)."),
        Setting(
            "tls-min-version", .tls, \.tlsMinVersion, .choice,
            "The oldest version of TLS that the server accepts.",
            "The server never offers 1.0 and 1.1, because they are broken."),
    ]

    private static let browsers: [Setting] = [
        Setting(
            "origins", .browsers, list: \.origins, .origin, none: "same origin only",
            "Web pages that may connect: a list of origins, or * for all.",
            """
            The server checks it for polling (CORS) and for the Origin of a WebSocket. By default only pages from \
            this server's own host and port may connect; the default ports 80 and 443 may be left out. A program \
            without an Origin may always connect. The WebSocket of Swift clients sends the server's own origin \
            (wss://name), which is always allowed.
            """),
        Setting(
            "trusted-proxies", .browsers, list: \.trustedProxies, .addressBlock,
            "Proxies whose statement of a client's address the server trusts.",
            """
            The server also trusts every connection through a Unix socket, because the file system says which users \
            can open it.
            """),
        Setting(
            "proxy-protocol", .browsers, \.proxyProtocol, .flag,
            "Trusted proxies begin each connection with a PROXY protocol header.",
            """
            Versions 1 and 2. The server refuses a trusted proxy that sends no header. From any other address such a \
            header is a bad request. Clients that the header does not name (UNKNOWN, or no address of IPv4 or IPv6) count \
            as one client, 0.0.0.0; only LOCAL of version 2 is the proxy itself.
            """),
        Setting(
            "forwarded-for", .browsers, \.forwardedFor, .flag,
            "Take a client's address from X-Forwarded-For when a trusted proxy sends it.",
            """
            The last address in it that is not itself a trusted proxy counts, because a client can invent all \
            addresses before it. An address may have a port: 192.0.2.1:8080, [2001:db8::1]:443. Clients whose address is empty \
            or cannot be read count as one client, 0.0.0.0.
            """),
        Setting(
            "board", .browsers, \.board, .choice,
            "Show the board, a page with a shared canvas, at /; auto shows it with auth open or accounts.",
            """
            The page is part of the program and loads nothing from other servers. With accounts users sign up and in on \
            it; with hs256 or jwks it asks the user for a token.
            """),
        Setting(
            "demo", .browsers, \.demo, .flag,
            "Let users of the board invite bots to their room, and have the test accounts of applications.",
            """
            At most five bots in a room and forty in all, on a thread of this process. They leave with the last user, \
            or after a quarter of an hour. Bots need auth open and no TLS, because they connect like other clients. \
            With apps there are the accounts admin@subspace.dev, test@subspace.dev, alice@muejam.dev and \
            ben@muejam.dev, whose password is admin123, and a few stories, unless clients on other machines can reach \
            the server.
            """),
    ]

    private static let protocols: [Setting] = [
        Setting(
            "path", .protocols, \.path, .urlPath,
            "The path under which Socket.IO answers.",
            "Clients name the same path in their `path` option."),
        Setting(
            "ping-interval", .protocols, \.pingInterval, .duration(.milliseconds(100) ... .seconds(3600)),
            "How often the server sends a ping to each client.",
            "Proxies cut connections that are silent for about a minute: stay below that."),
        Setting(
            "ping-timeout", .protocols, \.pingTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a client may take to answer a ping before the server ends its session.",
            "Phones on bad networks need some seconds. The others see a vanished user for up to this long."),
        Setting(
            "max-payload", .protocols, \.maxPayload, .size(1024...67_108_864),
            "The largest message or polling body that a client may send.",
            """
            The handshake tells it to the client. Past it the server closes a WebSocket with 1009 and answers a POST \
            with 413.
            """),
        Setting(
            "connect-timeout", .protocols, \.connectTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a client may take from opening a session to an accepted CONNECT.",
            "Ends sessions that clients open and abandon."),
        Setting(
            "upgrade-timeout", .protocols, \.upgradeTimeout, .duration(.milliseconds(100) ... .seconds(600)),
            "How long the change from polling to WebSocket may take.",
            "Past it the server closes the WebSocket, and the session goes on with polling."),
        Setting(
            "eio3", .protocols, \.eio3, .flag,
            "Accept clients of Engine.IO 3 too (Socket.IO 2.x).",
            "Older mobile apps use it."),
    ]

    private static let rooms: [Setting] = [
        Setting(
            "tick", .rooms, \.tick, .tick,
            "The time between two ticks of a room in which touches move; auto chooses it by the load.",
            """
            A longer time adds latency. A shorter one costs more writes: one for each member and tick. The first \
            touch after a pause is sent at once.
            """),
        Setting(
            "tick-min", .rooms, \.tickMin, .duration(.milliseconds(1) ... .seconds(1)),
            "The shortest time between two ticks that auto chooses.",
            "auto uses it while the cores are not busy."),
        Setting(
            "tick-max", .rooms, \.tickMax, .duration(.milliseconds(1) ... .seconds(1)),
            "The longest time between two ticks that auto chooses.",
            "auto goes up to it under load, before the server gives up anything else."),
        Setting(
            "grace", .rooms, \.grace, .duration(.zero ... .seconds(600)),
            "How long a user who lost the connection stays in the room.",
            """
            When the user comes back within this time, the other members do not notice. A user who does not come back \
            is shown for this long.
            """),
        Setting(
            "recovery-window", .rooms, \.recoveryWindow, .duration(.zero ... .seconds(3600)),
            "How long a client can come back after a lost connection; 0 for not at all.",
            """
            It then gets what it missed instead of the whole state, as far as each room's log reaches back. Later, \
            the client joins its rooms anew. The server keeps 10,000 lost connections for each thread.
            """),
        Setting(
            "recovery-offsets", .rooms, \.recoveryOffsets, .choice,
            "Which clients get offsets with events; recovery needs offsets.",
            """
            The offset is a string after the event's argument, which Socket.IO clients from 4.6 on understand. Web \
            pages ignore it. Handlers in Python or Swift may refuse an unexpected argument, so these clients ask for \
            offsets.
            """),
        Setting(
            "participants-max", .rooms, \.participantsMax, .count(1...100_000),
            "How many users may be in a room at a time.",
            "Past it the server answers a join with ROOM_FULL."),
        Setting(
            "elements-max", .rooms, \.elementsMax, .count(1...1_000_000),
            "How many elements a room may have.",
            "A client that joins gets all of them. Past it the server refuses element:create."),
        Setting(
            "rooms-per-connection-max", .rooms, \.roomsPerConnectionMax, .count(1...1_000),
            "How many rooms one connection may be in.",
            "Past it the server refuses a join."),
        Setting(
            "memory-rooms-size-max", .rooms, \.memoryRoomsSizeMax, .size(0...1 << 40),
            "Without data: memory for the contents of empty rooms.",
            """
            Past it the server forgets the rooms that have been empty for longest; they have no contents when a user \
            comes back. It keeps 10,000 of them at most. With data, the server reads rooms from the disk and keeps no \
            empty room in memory.
            """),
    ]

    private static let limits: [Setting] = [
        Setting(
            "connections-max", .limits, \.connectionsMax, .count(1...1_000_000),
            "How many connections may be open.",
            """
            Past it the server answers a connection with 503 and Retry-After. Each connection takes a file \
            descriptor.
            """),
        Setting(
            "connections-per-address-max", .limits, \.connectionsPerAddressMax, .count(0...1_000_000),
            "How many connections one address may have open; 0 for no limit.",
            """
            With forwarded-for, a WebSocket or a waiting poll counts for the client that the proxy names, and gets \
            503 past the limit. Loopback and Unix sockets are exempt. Offices and mobile networks put thousands of \
            users behind one address.
            """),
        Setting(
            "sessions-max", .limits, optional: \.sessionsMax, .count(1...10_000_000), none: "twice connections-max",
            "How many Engine.IO sessions may be open.",
            """
            Past it the server answers a new session with 503 and Retry-After. No client is exempt. A session \
            outlives its connection until its heartbeat is missed. After many connections are lost there are more \
            sessions than connections for a while.
            """),
        Setting(
            "sessions-pending-max", .limits, optional: \.sessionsPendingMax, .count(1...10_000_000),
            none: "a quarter of sessions-max", "How many sessions may have no accepted CONNECT yet.",
            """
            A client can open a session without a token. One address may have a quarter of them, and one network (/24 \
            of IPv4, /48 of IPv6) half. When all are taken, a new session ends the oldest one of the network that has \
            the most, if its own network has fewer; otherwise the server answers 503 and Retry-After. No client is \
            exempt from the number, and those on loopback and Unix sockets take no place of others. connect-timeout \
            ends sessions that stay without a CONNECT.
            """),
        Setting(
            "sessions-per-address-max", .limits, optional: \.sessionsPerAddressMax, .count(1...10_000_000),
            none: "half of sessions-max", "How many sessions one address may have.",
            """
            Past it the server answers a new session of that address with 503 and Retry-After. The address is that of \
            the client, also behind a trusted proxy. Loopback and Unix sockets are exempt.
            """),
        Setting(
            "tls-handshakes-per-second-max", .limits, \.tlsHandshakesPerSecondMax, .count(0...1_000_000),
            "How many TLS handshakes may begin in a second; 0 for no limit.",
            "A handshake costs much more than a message. Past the limit new connections wait."),
        Setting(
            "handshake-timeout", .limits, \.handshakeTimeout, .duration(.milliseconds(100) ... .seconds(300)),
            "How long TLS and the head of the first request may take.",
            """
            Past it the server closes the connection: a client that sends a byte now and then must not hold one for \
            long.
            """),
        Setting(
            "head-bytes-max", .limits, \.headBytesMax, .size(1024...1_048_576),
            "The largest head of a request, including all its headers.",
            "Past it the answer is 431."),
        Setting(
            "body-timeout", .limits, \.bodyTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a request's body may take, and how long an answer may go unread.",
            """
            Past it the server answers 408 or closes the connection. A body of max-payload must fit through a slow \
            line in this time. Uploads and answers may take a second longer for each 8 KB.
            """),
        Setting(
            "unread-size-max", .limits, \.unreadSizeMax, .size(16_000_000...64_000_000_000),
            "How many bytes of HTTP answers may wait for clients that read slowly.",
            """
            One limit for the whole server and all addresses. Past it the server cuts off a client that does not read \
            its answer at once. WebSockets have bounds of their own.
            """),
        Setting(
            "keep-alive-timeout", .limits, \.keepAliveTimeout, .duration(.seconds(1) ... .seconds(3600)),
            "How long an HTTP connection may be idle between two requests.",
            """
            Longer than the idle time of a proxy in front. Otherwise the proxy would send a request on a connection \
            that the server has just closed.
            """),
        Setting(
            "idle-timeout", .limits, \.idleTimeout, .duration(.seconds(1) ... .seconds(86_400)),
            "How long a connection may carry no byte in either direction.",
            """
            The last resort for a dead client that no other time-out has caught. It must be longer than a heartbeat \
            and its answer.
            """),
    ]
}
