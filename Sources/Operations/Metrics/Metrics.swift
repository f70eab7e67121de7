import Sessions
import Transport

/// The table of all metrics, in the order in which they are printed.
enum Metrics {
    static let all =
        process + loops + connections + sessions + rooms + touches + store + recordings + cluster + pushes + codes
        + rest

    private static let process: [Metric] = [
        Metric("rooms_build_info", .gauge, ["version"], "Always 1; the label has the version of the server.") {
            [.init([$0.version], 1)]
        },
        Metric("process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.") {
            [.init([], $0.process.startSeconds)]
        },
        Metric("process_cpu_seconds_total", .counter, "Processor time that the process has used.") {
            [.init([], $0.process.cpuSeconds)]
        },
        Metric("process_resident_memory_bytes", .gauge, "Memory of the process that is in use.") {
            [.init([], $0.process.residentBytes)]
        },
        Metric("rooms_heap_bytes", .gauge, "Memory that was allocated and not given back yet.") {
            [.init([], $0.process.heapBytes)]
        },
        Metric("process_virtual_memory_bytes", .gauge, "Address space of the process.") {
            [.init([], $0.process.virtualBytes)]
        },
        Metric("process_open_fds", .gauge, "File descriptors that are open.") {
            [.init([], $0.process.openDescriptors)]
        },
        Metric("process_max_fds", .gauge, "File descriptors that may be open.") {
            [.init([], $0.process.descriptorsMax)]
        },
    ]

    private static let loops: [Metric] = [
        Metric("rooms_loop_up", .gauge, ["shard"], "Whether the loop answered within two seconds; 0: it hangs.") {
            $0.shards.enumerated().map { .init(["\($0)"], $1 == nil ? 0 : 1) }
        },
        Metric(
            "rooms_loop_turn_seconds", .histogram, ["shard"],
            "How long turns of the loop took. The rate of the sum is the load of the loop; 1 is a whole core."
        ) { server in
            server.answered.map { .init(["\($0.index)"], HistogramReading($0.reading.transport.turns)) }
        },
        .perShard(
            "rooms_loop_lag_seconds", .gauge, "How long the request for these numbers waited for the loop."
        ) { $0.lag / .seconds(1) },
        .perShard("rooms_mailbox_jobs", .gauge, "Jobs from other threads that wait for the loop.") {
            Double($0.jobsWaiting)
        },
        .perShard(
            "rooms_mailbox_refused_jobs_total", .counter, "Jobs that were dropped because too many waited for the loop."
        ) { Double($0.jobsRefused) },
        .perShard("rooms_tick_interval_seconds", .gauge, "The time between two ticks that the loop has chosen.") {
            Double($0.relay?.tickMilliseconds ?? 0) / 1_000
        },
    ]

    private static let connections: [Metric] = [
        Metric("rooms_connections", .gauge, ["shard", "tls"], "Open connections, including WebSockets.") {
            $0.answered.flatMap { index, reading in
                [
                    .init(["\(index)", "no"], reading.transport.plainConnections),
                    .init(["\(index)", "yes"], reading.transport.secureConnections),
                ]
            }
        },
        Metric("rooms_connections_limit", .gauge, "How many connections may be open (connections-max).") {
            [.init([], $0.connectionsMax)]
        },
        Metric("rooms_websockets", .gauge, "Open WebSockets.") {
            [.init([], $0.transport.webSocketsOpen.value)]
        },
        Metric("rooms_unread_bytes", .gauge, "Bytes of HTTP answers that wait for clients to read them.") {
            [.init([], $0.transport.unreadBytes.value)]
        },
        Metric("rooms_connections_accepted_total", .counter, "Connections that were accepted.") {
            [.init([], $0.transport.connectionsAccepted.value)]
        },
        Metric(
            "rooms_connections_refused_total", .counter,
            "Refused connections: too many in all, too many from one address, or no file descriptor left."
        ) { [.init([], $0.transport.connectionsRefused.value)] },
        Metric("rooms_connections_moved_total", .counter, "Connections that moved to the loop of their session.") {
            [.init([], $0.transport.connectionsMoved.value)]
        },
        Metric("rooms_connections_closed_total", .counter, ["reason"], "Connections that ended, by reason.") {
            let closes = $0.transport.closesByReason
            return CloseReason.allCases.map { .init([$0.rawValue], closes[$0] ?? 0) }
        },
        .perShard("rooms_received_bytes_total", .counter, "Received bytes, before decryption.") {
            Double($0.transport.bytesIn)
        },
        .perShard("rooms_sent_bytes_total", .counter, "Sent bytes, after encryption.") {
            Double($0.transport.bytesOut)
        },
        Metric("rooms_http_requests_total", .counter, "HTTP requests, including polling and upgrades.") {
            [.init([], $0.transport.requests.value)]
        },
        Metric(
            "rooms_http_responses_total", .counter, ["class"],
            "Answers to HTTP requests, by the first digit of the status."
        ) {
            server in
            (0..<5).map { index in
                .init(["\(index + 1)xx"], server.sum { $0.transport.answersByClass[index] })
            }
        },
    ]

    private static let sessions: [Metric] = [
        Metric(
            "rooms_sessions", .gauge, ["transport", "protocol", "tls"],
            "Open Engine.IO sessions, by their transport, protocol and encryption."
        ) { server in
            SessionTotals.Kind.allCases.map { kind in
                .init(
                    [
                        kind.isWebSocket ? "websocket" : "polling", kind.isVersion4 ? "4" : "3",
                        kind.isSecure ? "yes" : "no",
                    ], server.sum { $0.sessions.open(kind) })
            }
        },
        .total("rooms_sessions_pending", .gauge, "Sessions without an accepted CONNECT.") {
            $0.sessions.pending
        },
        .total("rooms_sessions_opened_total", .counter, "Sessions that began.") { $0.sessions.opened },
        .total("rooms_sessions_upgraded_total", .counter, "Sessions that changed from polling to a WebSocket.") {
            $0.sessions.upgraded
        },
        Metric(
            "rooms_sessions_ended_total", .counter, ["reason"],
            """
            Sessions that ended, by reason. slow_reader: the client read too slowly; ping_timeout: it did not answer; \
            displaced: it had no accepted CONNECT, and another client needed its place.
            """
        ) { server in
            DisconnectReason.allCases.map { reason in
                let label = String(reason.rawValue.map { $0 == " " ? "_" : $0 })
                return .init([label], server.sum { $0.sessions.ended(reason) })
            }
        },
        Metric("rooms_sessions_refused_total", .counter, ["reason"], "Sessions that were refused, by reason.") {
            server in
            [
                .init(["draining"], server.sum { $0.sessions.refusedWhileDraining }),
                .init(["address_rate"], server.sum { $0.sessions.refusedByRate }),
                .init(["full"], server.sum { $0.sessions.refused(.full) }),
                .init(["pending_full"], server.sum { $0.sessions.refused(.pendingFull) }),
                .init(["address_full"], server.sum { $0.sessions.refused(.addressFull) }),
            ]
        },
        Metric(
            "rooms_draining", .gauge,
            "1 while the server closes its sessions and takes no new ones, to stop or because it is cut off; otherwise 0."
        ) {
            [.init([], $0.isDraining ? 1 : 0)]
        },
    ]
}
