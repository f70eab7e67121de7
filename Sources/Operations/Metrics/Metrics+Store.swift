import Accounts
import Push
import Store
import Transport

/// Of servers with a data directory; others tell nothing here.
extension Metrics {
    static let store: [Metric] = [
        ofStore(
            "rooms_store_up", .gauge, "1 if the newest transaction was stored; 0 if it failed, and changes are refused."
        ) {
            $0.isGood ? 1 : 0
        },
        Metric("rooms_store_commit_seconds", .histogram, "How long transactions took, including the flush of the disk.")
        {
            $0.store.map { [.init([], HistogramReading($0.counters))] } ?? []
        },
        Metric(
            "rooms_store_append_seconds", .histogram,
            "The time from a room's append to the store's answer: how long acks of changes wait."
        ) { server in
            guard server.store != nil else { return [] }
            var all = DurationHistogram()
            for shard in server.answered { if let relay = shard.reading.relay { all.add(relay.totals.appends) } }
            return [.init([], HistogramReading(all))]
        },
        ofRooms("rooms_store_failed_appends_total", .counter, "Appends of rooms that failed and were repeated.") {
            $0.relay?.totals.appendsFailed ?? 0
        },
        ofStore("rooms_store_transactions_total", .counter, "Transactions that were stored.") {
            Int($0.counters.groups)
        },
        ofStore("rooms_store_failed_transactions_total", .counter, "Transactions that failed.") {
            Int($0.counters.failedGroups)
        },
        ofStore("rooms_store_jobs_total", .counter, "Writes that were stored, many in one transaction.") {
            Int($0.counters.jobs)
        },
        ofStore("rooms_store_reads_total", .counter, "Reads from the store.") { Int($0.counters.reads) },
        ofStore("rooms_store_waiting_jobs", .gauge, "Writes that wait for the next transaction.") {
            $0.counters.waitingJobs
        },
        ofStore("rooms_store_refused_jobs_total", .counter, "Writes that were refused because too many waited.") {
            Int($0.counters.refusedJobs)
        },
        ofRooms("rooms_store_backlog_entries", .gauge, "Entries of the logs of rooms that are not stored yet.") {
            $0.relay?.totals.backlogEntries ?? 0
        },
        ofRooms("rooms_store_backlog_bytes", .gauge, "Bytes of the entries that are not stored yet.") {
            $0.relay?.totals.backlogBytes ?? 0
        },
        ofStore("rooms_store_database_bytes", .gauge, "Size of the database file.") { $0.counters.databaseBytes },
        ofStore("rooms_store_journal_bytes", .gauge, "Size of the write-ahead log of the database.") {
            $0.counters.logBytes
        },
        ofStore("rooms_store_memory_bytes", .gauge, "Memory of the database's caches.") { $0.counters.memoryBytes },
    ]

    static let pushes: [Metric] = [
        Metric(
            "rooms_push_notifications_total", .counter, ["end"],
            "Notifications that left the outbox, by their end: sent, refused or dropped."
        ) { server in
            server.pushes.map { reading in
                PushEnd.allCases.map { .init([$0.rawValue], reading.ends[$0] ?? 0) }
            } ?? []
        },
        Metric(
            "rooms_push_failures_total", .counter, "Attempts that failed at the provider; each one pauses all sending."
        ) { server in server.pushes.map { [.init([], $0.failures)] } ?? [] },
        Metric("rooms_push_paused", .gauge, "1 if the newest attempt failed and notifications wait, otherwise 0.") {
            server in server.pushes.map { [.init([], $0.isPaused ? 1 : 0)] } ?? []
        },
    ]

    static let codes: [Metric] = [
        Metric(
            "rooms_codes_total", .counter, ["way", "end"],
            """
            One-time codes, by the way they go (text or mail) and by their end: sent, not sent, or refused by a limit.
            """
        ) { server in
            guard let codes = server.codes else { return [] }
            return CodeWay.allCases.flatMap { way in
                CodeEnd.allCases.map { .init([way.rawValue, $0.rawValue], codes[way]?[$0] ?? 0) }
            }
        }
    ]

    static let rest: [Metric] = [
        Metric(
            "rooms_rest_requests_total", .counter, ["method", "route", "class"],
            "REST requests by route, as docs/REST.md writes it, and by the first digit of the status."
        ) { server in
            var counts: [[String]: Int] = [:]
            for shard in server.answered {
                for (key, count) in shard.reading.requests?.answers ?? [:] {
                    counts[[key.method, key.route, "\(key.statusClass)xx"], default: 0] += count
                }
            }
            return counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { .init($0.key, $0.value) }
        },
        Metric(
            "rooms_rest_requests_by_client_total", .counter, ["client"],
            "REST requests by the kind of their client, as X-Client-Type names it."
        ) { server in
            var counts: [String: Int] = [:]
            for shard in server.answered {
                counts.merge(shard.reading.requests?.clients ?? [:], uniquingKeysWith: +)
            }
            return counts.sorted { $0.key < $1.key }.map { .init([$0.key], $0.value) }
        },
        Metric(
            "rooms_rest_request_seconds", .histogram, "How long REST requests took, from their head to their answer."
        ) {
            server in
            let all = server.answered.compactMap { $0.reading.requests?.durations }
            guard var sum = all.first else { return [] }
            for other in all.dropFirst() { sum.add(other) }
            return [.init([], HistogramReading(sum))]
        },
    ]

    private static func ofStore(
        _ name: String, _ kind: Metric.Kind, _ help: String,
        _ read: @escaping @Sendable ((counters: StoreCounters, isGood: Bool)) -> Int
    ) -> Metric {
        Metric(name, kind, help) { server in server.store.map { [.init([], read($0))] } ?? [] }
    }

    private static func ofRooms(
        _ name: String, _ kind: Metric.Kind, _ help: String, _ read: @escaping @Sendable (ShardReading) -> Int
    ) -> Metric {
        Metric(name, kind, help) { server in server.store == nil ? [] : [.init([], server.sum(read))] }
    }
}

extension HistogramReading {
    init(_ store: StoreCounters) {
        self.init(
            bounds: StoreCounters.groupBounds.map { Double($0) / 1e6 }, counts: store.groupsByDuration.map(Int.init),
            sum: Double(store.groupMicroseconds) / 1e6)
    }
}
