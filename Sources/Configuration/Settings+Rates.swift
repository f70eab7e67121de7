import Relay

/// How much clients may send, and how often they may come.
extension Settings {
    static let rates: [Setting] = [
        Setting(
            "rate-limits", .rates, \.rateLimits, .flag,
            "Apply the limits of this chapter.",
            "Switch it off only for load tests: then none of them applies."),
        Setting(
            "touches-per-second-max", .rates, \.flowLimits.touchesPerSecondMax, .count(0...1_000_000),
            "How many touches a connection may send in a second; 0 for no limit.",
            """
            The server answers further touches with RATE_LIMITED. Touches within the limit that arrive between two \
            ticks are merged.
            """),
        Setting(
            "events-per-second-max", .rates, \.flowLimits.eventsPerSecondMax, .count(0...1_000_000),
            "How many other events a connection may send in a second; 0 for no limit.",
            """
            The server answers further events with RATE_LIMITED. room:join counts as 3 events, or as 10 for a room \
            that the connection is in already. auth:refresh counts as 10.
            """),
        Setting(
            "account-touches-per-second-max", .rates, \.flowLimits.accountTouchesPerSecondMax, .count(0...10_000_000),
            "Touches in a second from all devices of a user; 0 for no limit.",
            "A user with many devices moves only some of them at a time."),
        Setting(
            "account-events-per-second-max", .rates, \.flowLimits.accountEventsPerSecondMax, .count(0...10_000_000),
            "Other events in a second from all devices of a user; 0 for no limit.",
            "Without it a user could send more events by opening more connections."),
        Setting(
            "address-touches-per-second-max", .rates, \.flowLimits.addressTouchesPerSecondMax, .count(0...100_000_000),
            "Touches in a second from one address; 0 for no limit.",
            """
            The address is that of the client, as trusted proxies state it; of IPv6 the first 64 bits count. \
            Loopback, Unix sockets and the proxies themselves are exempt. Offices and mobile networks put many users \
            behind one address.
            """),
        Setting(
            "address-events-per-second-max", .rates, \.flowLimits.addressEventsPerSecondMax, .count(0...100_000_000),
            "Other events in a second from one address; 0 for no limit.",
            "Addresses count as for touches."),
        Setting(
            "account-join-bytes-per-second-max", .rates, \.flowLimits.accountJoinBytesPerSecondMax, .size(0...1 << 40),
            "Bytes of room states a second for one user's joins; 0: no limit.",
            """
            On average: ten seconds' worth may be sent at once, enough for all rooms of a device that comes back. \
            Past it room:join is answered RATE_LIMITED. A join has 60 bytes and its answer up to 4 MB.
            """),
        Setting(
            "address-join-bytes-per-second-max", .rates, \.flowLimits.addressJoinBytesPerSecondMax, .size(0...1 << 40),
            "Bytes of room states a second for one address; 0: no limit.",
            """
            Ten seconds' worth are 200 KB for each of 5,000 clients that come back at once from one office. Addresses \
            count as for touches.
            """),
        Setting(
            "address-connects-per-second-max", .rates, \.flowLimits.addressConnectsPerSecondMax, .count(0...1_000_000),
            "Sessions that one address may begin in a second; 0 for no limit.",
            """
            Past it the server answers a handshake with 429 and Retry-After. After an outage all clients of an office \
            come back at once.
            """
        ),
        Setting(
            "refusals-per-second-max", .rates, \.flowLimits.refusalsPerSecondMax, .count(0...100_000),
            "Refused events of a connection in a second, on average; 0 for no limit.",
            """
            Ten seconds' worth may be refused at once. At half of that the server warns the client; past it the \
            server closes the connection.
            """),
        Setting(
            "packets-per-second-max", .rates, \.packetsPerSecondMax, .count(0...10_000_000),
            "Packets of any kind in a second from a connection; 0 for no limit.",
            """
            They include packets that are not events and get no answer, and pings of a WebSocket. Past the limit the \
            server closes the connection (1008). The limit should exceed those of touches and events together.
            """),
        Setting(
            "account-requests-per-second-max", .rates, \.accountRequestsPerSecondMax, .count(0...1_000_000),
            "REST requests of a user in a second; 0 for no limit.",
            """
            On average: a minute's worth may come at once. Further requests are answered 429 with Retry-After. \
            X-RateLimit-Remaining says how many are left.
            """),
        Setting(
            "address-requests-per-second-max", .rates, \.addressRequestsPerSecondMax, .count(0...1_000_000),
            "REST requests from one address in a second; 0 for no limit.",
            "On average: a minute's worth may come at once. Addresses count as for touches."),
        Setting(
            "phone-requests-percent", .rates, \.phoneRequestsPercent, .count(100...1_000),
            "What phones may send, in percent of the limits for web clients.",
            """
            It holds for REST requests of a user, and for all requests to the applications. A client says in \
            X-Client-Type that it is a phone. Each kind of client is counted apart.
            """),
        Setting(
            "address-http-requests-per-second-max", .rates, \.addressHTTPRequestsPerSecondMax, .count(0...10_000_000),
            "HTTP requests of one address in a second; 0 for no limit.",
            """
            Requests of sessions do not count here: they have limits of their own. The server answers further \
            requests with 429 and closes the connection.
            """),
    ]
}
