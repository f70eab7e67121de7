/// How much clients may send, and how often they may come.
extension Settings {
    static let rates: [Setting] = [
        Setting(
            "rate-limits", .rates, \.rateLimits, .flag,
            "Hold what clients send against the limits of this chapter.",
            "Off only for load tests: then none of them holds."),
        Setting(
            "touches-per-second-max", .rates, \.touchesPerSecondMax, .count(0...1_000_000),
            "How many touches a connection may send in a second; 0 for no limit.",
            "Beyond it they are answered RATE_LIMITED. Up to it those between two ticks are merged."),
        Setting(
            "events-per-second-max", .rates, \.eventsPerSecondMax, .count(0...1_000_000),
            "How many other events a connection may send in a second; 0 for no limit.",
            """
            Beyond it they are answered RATE_LIMITED. room:join counts as 3, or as 10 for a room that the connection is in \
            already; auth:refresh as 10.
            """),
        Setting(
            "account-touches-per-second-max", .rates, \.accountTouchesPerSecondMax, .count(0...10_000_000),
            "Touches in a second from all of a person's devices; 0: no limit.",
            "Somebody with many devices moves only some of them at a time."),
        Setting(
            "account-events-per-second-max", .rates, \.accountEventsPerSecondMax, .count(0...10_000_000),
            "Other events in a second from all of a person's devices; 0: no limit.",
            "Without it more connections would be more events."),
        Setting(
            "address-touches-per-second-max", .rates, \.addressTouchesPerSecondMax, .count(0...100_000_000),
            "Touches in a second from one address; 0: no limit.",
            """
            An address is that of the client as trusted proxies tell it; of IPv6 the first 64 bits count. Loopback, Unix \
            sockets and the proxies themselves are exempt. Offices and mobile networks put many people behind one.
            """),
        Setting(
            "address-events-per-second-max", .rates, \.addressEventsPerSecondMax, .count(0...100_000_000),
            "Other events in a second from one address; 0: no limit.",
            "As with touches."),
        Setting(
            "account-join-bytes-per-second-max", .rates, \.accountJoinBytesPerSecondMax, .size(0...1 << 40),
            "Bytes of states a second for one person's joins; 0: no limit.",
            """
            On average: ten seconds' worth may go out at once, which is all rooms of a device that comes back. Beyond it \
            room:join is answered RATE_LIMITED. A join is 60 bytes and its answer up to 4 MB.
            """),
        Setting(
            "address-join-bytes-per-second-max", .rates, \.addressJoinBytesPerSecondMax, .size(0...1 << 40),
            "The same for all joins from one address; 0: no limit.",
            """
            Ten seconds' worth are 200 KB for each of 5,000 clients that come back at once from one office. Addresses are \
            counted as with touches.
            """),
        Setting(
            "address-connects-per-second-max", .rates, \.addressConnectsPerSecondMax, .count(0...1_000_000),
            "Sessions begun in a second from one address; 0: no limit.",
            "Beyond it a handshake is answered 429 with Retry-After. A whole office comes back at once after an outage."
        ),
        Setting(
            "refusals-per-second-max", .rates, \.refusalsPerSecondMax, .count(0...100_000),
            "Refused events of a connection in a second, on average; 0: no limit.",
            """
            Ten seconds' worth may be refused at once. At half of that the client is warned; past it the connection is \
            closed.
            """),
        Setting(
            "packets-per-second-max", .rates, \.packetsPerSecondMax, .count(0...10_000_000),
            "Packets of any kind in a second from a connection; 0: no limit.",
            """
            Also those that are no events, which nobody answers, and a WebSocket's pings. Past it the connection is closed \
            (1008). More than touches and events together.
            """),
        Setting(
            "account-requests-per-second-max", .rates, \.accountRequestsPerSecondMax, .count(0...1_000_000),
            "REST requests of a person in a second; 0: no limit.",
            """
            On average: a minute's worth may come at once. Beyond it they are answered 429 with Retry-After; X-RateLimit-Remaining \
            says how many are left.
            """),
        Setting(
            "address-requests-per-second-max", .rates, \.addressRequestsPerSecondMax, .count(0...1_000_000),
            "REST requests from one address in a second; 0: no limit.",
            "On average: a minute's worth may come at once. Addresses are counted as with touches."),
        Setting(
            "address-http-requests-per-second-max", .rates, \.addressHTTPRequestsPerSecondMax, .count(0...10_000_000),
            "HTTP requests of one address in a second; 0: no limit.",
            """
            But for those of sessions, which have limits of their own. Beyond it they are answered 429 and the connection \
            is closed.
            """),
    ]
}
