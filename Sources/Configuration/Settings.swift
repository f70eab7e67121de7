import Transport

/// The table of all settings, in the order in which help shows them.
package enum Settings {
    package static let all =
        listening + identity + storage + push + tls + browsers + protocols + rooms + rates + media + limits
        + compression + operation

    package static func named(_ name: String) -> Setting? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The option that names the file. It is no row, since a file cannot name another.
    package static let fileOption = "config"
    static let fileEnvironmentName = "ROOMS_CONFIG"

    private static let listening: [Setting] = [
        Setting(
            "listen", .listening, list: \.listen, .listen,
            "Where to take connections; may be repeated.",
            """
            IP addresses only, and localhost for 127.0.0.1. Port 0 takes any free port and logs which. 0.0.0.0 means \
            all addresses of IPv4, [::] those of IPv6 as well.
            """),
        Setting(
            "threads", .listening, \.threads, .count(1...256), default: "the number of cores",
            "How many threads serve connections.",
            """
            Each thread has its own event loop and connections, so more of them than the cores that this process may \
            use only costs memory.
            """),
    ]

    private static let identity: [Setting] = [
        Setting(
            "auth", .identity, \.auth, .choice,
            "What a client must show: nothing, a token under a shared secret, or a provider's token.",
            """
            open lets everybody in and is for trying things out on one machine: it needs allow-open-to-world for more, and \
            answers only under names that it knows (421 otherwise). hs256 is for small deployments and tests. jwks takes \
            RS256 and ES256 tokens of an OpenID provider.
            """),
        Setting(
            "allow-open-to-world", .identity, \.allowOpenToWorld, .flag,
            "Let auth=open serve clients on other machines.",
            """
            Everybody who reaches the port or the proxy in front of it can then read and change every room. Clients call \
            the server by an IP address, localhost, or the name in public-url; requests with another name in Host are \
            answered 421, since a web page could have redirected that name to the server (DNS rebinding).
            """),
        Setting(
            "auth-secret", .identity, optional: \.authSecret, .secret,
            "The shared secret of hs256. Better given as a file.",
            """
            An option can be seen by everybody on the machine and an environment variable by every child process; \
            auth-secret-file avoids both.
            """),
        Setting(
            "auth-secret-file", .identity, optional: \.authSecretFile, .path("FILE"),
            "File that holds the shared secret of hs256.",
            "One line end after the secret is not part of it. Give the file to the server's user alone (mode 0400)."),
        Setting(
            "auth-issuer", .identity, optional: \.authIssuer, .text(most: 512),
            "The `iss` that a token must have; needed for jwks.",
            "Compared byte for byte: Auth0's issuers end in a slash."),
        Setting(
            "auth-audience", .identity, optional: \.authAudience, .text(most: 512),
            "The `aud` that a token must have; needed for jwks.",
            "Without it, a token that the provider made for another service would open this one."),
        Setting(
            "auth-jwks-url", .identity, optional: \.authJWKSURL, .keySetURL,
            "Where the provider publishes its keys; needed for jwks.",
            """
            Over https, since whoever can change the keys can come in as anybody. Redirects are not followed. Keys are \
            fetched every ten minutes and when a token names one that is not known, at most every five seconds; while \
            they cannot be fetched, those that are there are used for a day.
            """),
        Setting(
            "auth-ca-file", .identity, optional: \.authCAFile, .path("FILE"),
            "Authorities in PEM that the key server's certificate is checked against.",
            "For providers with a certificate of one's own. Without it those of the system count."),
        Setting(
            "auth-clock-skew", .identity, \.authClockSkew, .duration(.zero ... .seconds(600)),
            "By how much the clock of whoever makes tokens may differ.",
            "A token is taken for as long after its end (`exp`) and before its beginning (`nbf`, `iat`)."),
    ]

    private static let tls: [Setting] = [
        Setting(
            "tls-cert", .tls, optional: \.tlsCert, .path("FILE"),
            "Certificate chain in PEM, the server's own first; turns TLS on.",
            "With tls-key. SIGHUP reads both again; connections that are open keep what they have."),
        Setting(
            "tls-key", .tls, optional: \.tlsKey, .path("FILE"),
            "Private key of the certificate in PEM, without a pass phrase.",
            "With tls-cert. Give the file to the server's user alone (mode 0400)."),
        Setting(
            "tls-min-version", .tls, \.tlsMinVersion, .choice,
            "The oldest version of TLS that is accepted.",
            "1.0 and 1.1 are not offered at all: they are broken."),
    ]

    private static let browsers: [Setting] = [
        Setting(
            "origins", .browsers, list: \.origins, .origin, none: "same origin only",
            "Web pages that may connect: a list of origins, or * for all.",
            """
            Checked for polling (CORS) and for the Origin of a WebSocket. By default only pages that come from this \
            server's own host and port may connect; the default ports 80 and 443 may be named or not. A program without \
            an Origin is not refused. The WebSocket of Swift clients sends the server's own (wss://name), which is always \
            allowed.
            """),
        Setting(
            "trusted-proxies", .browsers, list: \.trustedProxies, .addressBlock,
            "Proxies that are believed when they tell a client's address.",
            "Whoever connects through a Unix socket is believed too: the file system says who that can be."),
        Setting(
            "proxy-protocol", .browsers, \.proxyProtocol, .flag,
            "Trusted proxies begin each connection with a PROXY protocol header.",
            """
            Versions 1 and 2. A trusted proxy that sends no header is refused; from any other address a header is a \
            bad request.
            """),
        Setting(
            "forwarded-for", .browsers, \.forwardedFor, .flag,
            "Take a client's address from X-Forwarded-For when a trusted proxy sent it.",
            "The last address in it that is not itself a trusted proxy counts: what stands before it can be invented."),
        Setting(
            "board", .browsers, \.board, .choice,
            "Show the board, a page to meet in a room, at /; auto does with auth open.",
            """
            The page is part of the program and loads nothing from elsewhere. With hs256 or jwks it asks for a token, \
            so that it is of use to those who have one at hand.
            """),
        Setting(
            "demo", .browsers, \.demo, .flag,
            "Have bots come to a room when somebody on the board invites them.",
            """
            Five in a room and forty in all, on a thread of this process; they leave with the last person, and after a \
            quarter of an hour. With auth open and without TLS, since they come in like everybody else.
            """),
    ]

    private static let protocols: [Setting] = [
        Setting(
            "path", .protocols, \.path, .urlPath,
            "The path under which Socket.IO answers.",
            "Clients have the same one as their `path` option."),
        Setting(
            "ping-interval", .protocols, \.pingInterval, .duration(.milliseconds(100) ... .seconds(3600)),
            "How often the server asks each client whether it is still there.",
            "Proxies cut connections that are silent for a minute or so: stay below that."),
        Setting(
            "ping-timeout", .protocols, \.pingTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a client may take to answer; then it counts as gone.",
            "Phones on bad networks need some seconds; ghosts stay as long as this."),
        Setting(
            "max-payload", .protocols, \.maxPayload, .size(1024...67_108_864),
            "The largest message or polling body that a client may send.",
            "Told to the client in the handshake. Beyond it a WebSocket closes with 1009 and a POST gets 413."),
        Setting(
            "connect-timeout", .protocols, \.connectTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a client may take from opening a session to its CONNECT being accepted.",
            "Ends sessions that were opened and left."),
        Setting(
            "upgrade-timeout", .protocols, \.upgradeTimeout, .duration(.milliseconds(100) ... .seconds(600)),
            "How long the change from polling to WebSocket may take.",
            "Past it the WebSocket is closed and the session stays with polling."),
        Setting(
            "eio3", .protocols, \.eio3, .flag,
            "Take clients of Engine.IO 3 too (Socket.IO 2.x).",
            "Older mobile apps speak it."),
    ]

    private static let rooms: [Setting] = [
        Setting(
            "tick", .rooms, \.tick, .tick,
            "How often a room in which people move tells its members; auto chooses by the load.",
            """
            Every millisecond between two ticks is latency, and every tick costs a write for each member. The first \
            touch after a pause goes out at once.
            """),
        Setting(
            "tick-min", .rooms, \.tickMin, .duration(.milliseconds(1) ... .seconds(1)),
            "The shortest time between two ticks that auto chooses.",
            "Where it is while the cores have room."),
        Setting(
            "tick-max", .rooms, \.tickMax, .duration(.milliseconds(1) ... .seconds(1)),
            "The longest time between two ticks that auto chooses.",
            "Where it goes under load, before anything else gives."),
        Setting(
            "grace", .rooms, \.grace, .duration(.zero ... .seconds(600)),
            "How long a person whose connection is lost stays in the room.",
            "Who comes back in this time was never gone to the others. Ghosts stay as long as this."),
        Setting(
            "recovery-window", .rooms, \.recoveryWindow, .duration(.zero ... .seconds(3600)),
            "How long a lost connection can come back and go on where it was; 0 for not at all.",
            """
            It then gets what it missed instead of the whole state, as long as each room's log reaches back. Past it \
            the client joins its rooms anew. 10,000 lost connections are kept for each thread.
            """),
        Setting(
            "recovery-offsets", .rooms, \.recoveryOffsets, .choice,
            "Whose events say where they stand, which a client needs to go on where it was.",
            """
            A string behind the event's argument, as Socket.IO's clients from 4.6 on understand it. Web pages do not \
            mind it; handlers in Python or Swift may refuse an argument that they do not expect, so these ask for it.
            """),
        Setting(
            "participants-max", .rooms, \.participantsMax, .count(1...100_000),
            "How many people may be in a room at a time.",
            "Beyond it a join is answered ROOM_FULL."),
        Setting(
            "elements-max", .rooms, \.elementsMax, .count(1...1_000_000),
            "How many elements a room may have.",
            "Whoever joins is sent all of them. Beyond it element:create is refused."),
        Setting(
            "rooms-per-connection-max", .rooms, \.roomsPerConnectionMax, .count(1...1_000),
            "How many rooms one connection may be in.",
            "Beyond it a join is refused."),
        Setting(
            "memory-rooms-size-max", .rooms, \.memoryRoomsSizeMax, .size(0...1 << 40),
            "Without data: memory for rooms that nobody is in.",
            """
            Past it those go that were left the longest ago, and are empty for who comes back; there are 10,000 of them at \
            most. With data rooms are read from the disk, and none are kept in memory.
            """),
    ]

    private static let limits: [Setting] = [
        Setting(
            "connections-max", .limits, \.connectionsMax, .count(1...1_000_000),
            "How many connections may be open.",
            "Beyond it a connection is answered 503 with Retry-After. Each one takes a file descriptor."),
        Setting(
            "connections-per-address-max", .limits, \.connectionsPerAddressMax, .count(0...1_000_000),
            "How many of them from one address; 0 for no limit.",
            """
            With forwarded-for, a WebSocket and a waiting poll count for the client that the proxy names, and are \
            answered 503 past it. Loopback and Unix sockets are exempt. Offices and mobile networks put thousands of people behind one \
            address.
            """),
        Setting(
            "sessions-max", .limits, optional: \.sessionsMax, .count(1...10_000_000), none: "twice connections-max",
            "How many Engine.IO sessions may be open.",
            """
            Beyond it a new session is answered 503 with Retry-After. No client is exempt. A session outlives its \
            connection until its heartbeat is missed, so there are more sessions than connections for a while after \
            many connections are lost.
            """),
        Setting(
            "sessions-pending-max", .limits, optional: \.sessionsPendingMax, .count(1...10_000_000),
            none: "a quarter of sessions-max", "How many of them may have no accepted CONNECT yet.",
            """
            A session can be opened without a token. Beyond it a new session is answered 503 with Retry-After. No \
            client is exempt from it, and one address may have a quarter of them; connect-timeout ends sessions that stay so.
            """),
        Setting(
            "sessions-per-address-max", .limits, optional: \.sessionsPerAddressMax, .count(1...10_000_000),
            none: "half of sessions-max", "How many sessions one address may have.",
            """
            Beyond it a new session of that address is answered 503 with Retry-After. The address is that of the \
            client, also behind a trusted proxy. Loopback and Unix sockets are exempt.
            """),
        Setting(
            "tls-handshakes-per-second-max", .limits, \.tlsHandshakesPerSecondMax, .count(0...1_000_000),
            "How many TLS handshakes are begun in a second; 0 for no limit.",
            "A handshake costs much more than a message. Beyond it new connections wait their turn."),
        Setting(
            "handshake-timeout", .limits, \.handshakeTimeout, .duration(.milliseconds(100) ... .seconds(300)),
            "How long TLS and the first request's head may take.",
            "Past it the connection is closed: a peer that sends a byte now and then must not hold one for long."),
        Setting(
            "head-bytes-max", .limits, \.headBytesMax, .size(1024...1_048_576),
            "The largest head of a request, with all its headers.",
            "Beyond it the answer is 431."),
        Setting(
            "body-timeout", .limits, \.bodyTimeout, .duration(.milliseconds(100) ... .seconds(3600)),
            "How long a request's body may take, and how long an answer may go unread.",
            """
            Past it the answer is 408, or the connection is closed. A body of max-payload must fit through a slow line in \
            this time. Uploads and answers may take longer by a second for each 8 KB.
            """),
        Setting(
            "unread-size-max", .limits, \.unreadSizeMax, .size(16_000_000...64_000_000_000),
            "How much of all answers over HTTP may wait for clients that read slowly.",
            """
            Of the whole server, from whatever address. Beyond it a client that does not read its answer at once is cut off. \
            WebSockets have bounds of their own.
            """),
        Setting(
            "keep-alive-timeout", .limits, \.keepAliveTimeout, .duration(.seconds(1) ... .seconds(3600)),
            "How long an HTTP connection may rest between two requests.",
            "Longer than the same time of a proxy in front, which would otherwise use a connection that just closed."),
        Setting(
            "idle-timeout", .limits, \.idleTimeout, .duration(.seconds(1) ... .seconds(86_400)),
            "How long a connection may move no byte in either direction.",
            "The last resort, when no other time-out caught a dead peer. Longer than a heartbeat and its answer."),
    ]

    private static let compression: [Setting] = [
        Setting(
            "compression", .compression, \.compression, .flag,
            "Compress large messages for clients that offer permessage-deflate.",
            "Costs processor time to save bytes on the line. A client that offers it connects either way."),
        Setting(
            "compression-threshold", .compression, \.compressionThreshold, .size(0...67_108_864),
            "The smallest message that is compressed.",
            "Small messages gain little and cost the same."),
    ]

    private static let operation: [Setting] = [
        Setting(
            "drain-timeout", .operation, \.drainTimeout, .duration(.zero ... .seconds(3600)),
            "How long a stopping server waits for its clients to leave.",
            "Past it what is left is closed. The service manager must wait longer (systemd: TimeoutStopSec)."),
        Setting(
            "drain-window", .operation, \.drainWindow, .duration(.zero ... .seconds(3600)),
            "Over how long a stopping server spreads the closing of its sessions.",
            """
            Each client is told when its turn is, so that not all come back at once to another server or the next one. \
            At most four fifths of drain-timeout are used.
            """),
        Setting(
            "log-level", .operation, \.logLevel, .choice,
            "The least level that is logged.",
            "info has nothing per message; debug has a line or more per connection; trace one per packet."),
        Setting(
            "log-format", .operation, \.logFormat, .choice,
            "text for people, json for machines; auto is text on a terminal.",
            "Lines go to standard error. NO_COLOR in the environment turns colours off."),
        Setting(
            "pid-file", .operation, optional: \.pidFile, .path("FILE"),
            "File to write the process's id to.",
            "It is removed when the server stops."),
        Setting(
            "metrics-listen", .operation, list: \.metricsListen, .listen,
            "Where /metrics is served for Prometheus; may be repeated.",
            """
            Nothing else is served there, and over plain HTTP. On loopback and Unix sockets no token is needed; where \
            other machines can reach it, operator-token is. A loop of its own answers, so that a busy server is seen too.
            """),
        Setting(
            "operator-token", .operation, optional: \.operatorToken, .secret,
            "What operators show at /console, and for /metrics on this port. Better as a file.",
            "Without a token neither is there. Whoever has it sees every room, and may close rooms and stop the server."
        ),
        Setting(
            "operator-token-file", .operation, optional: \.operatorTokenFile, .path("FILE"),
            "File that holds the operators' token.",
            "One line end after it is not part of it. Give the file to the server's user alone (mode 0400)."),
    ]
}
