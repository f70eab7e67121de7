import Relay
import Rooms
import Sessions
import Transport

/// The numbers of which the server keeps a history: one row for each line of the console's charts.
struct HistorySeries: Sendable {
    enum Kind: Sendable {
        /// A number as it is at the moment.
        case gauge(@Sendable (HistoryReading) -> Double)
        /// A total since the start, of which the growth in a second is kept.
        case rate(@Sendable (HistoryReading) -> Double)
        /// A number of what has happened between two readings.
        case between(@Sendable (_ before: HistoryReading, _ now: HistoryReading) -> Double)
    }

    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    static let all = gauges + rates + durations + events + refusals + ends

    private static let gauges = [
        HistorySeries(
            "connections", .gauge { $0.sum { $0.transport.plainConnections + $0.transport.secureConnections } }),
        HistorySeries("members", .gauge { $0.sumOfRelay { $0.totals.memberships } }),
        HistorySeries("rooms", .gauge { $0.sumOfRelay(\.rooms) }),
        HistorySeries("participants", .gauge { $0.sumOfRelay { $0.totals.participants } }),
        HistorySeries("lag", .gauge { $0.most { $0.lag / .seconds(1) } }),
        HistorySeries("tick", .gauge { $0.most { Double($0.relay?.tickMilliseconds ?? 0) / 1_000 } }),
        HistorySeries("hanging", .gauge { Double($0.shards.count { $0 == nil }) }),
        HistorySeries("memory", .gauge { Double($0.residentBytes) }),
        HistorySeries("logBytes", .gauge { $0.sumOfRelay { $0.totals.logBytes } }),
        HistorySeries("backlogBytes", .gauge { $0.sumOfRelay { $0.totals.backlogBytes } }),
    ]

    private static let rates = [
        HistorySeries("touchesIn", .rate { $0.sumOfRelay { $0.totals.touchesTaken } }),
        HistorySeries("touchesTicked", .rate { $0.sumOfRelay { $0.totals.touchesTicked } }),
        HistorySeries("touchesOut", .rate { $0.sumOfRelay { $0.totals.touchesSent } }),
        HistorySeries("deliveries", .rate { $0.sumOfRelay { $0.totals.updates } }),
        HistorySeries("catchUps", .rate { $0.sumOfRelay { $0.totals.catchUps } }),
        HistorySeries("lostMembers", .rate { $0.sumOfRelay { $0.totals.lostMembers } }),
        HistorySeries("bytesIn", .rate { $0.sum { $0.transport.bytesIn } }),
        HistorySeries("bytesOut", .rate { $0.sum { $0.transport.bytesOut } }),
        HistorySeries("cores", .rate(\.cpuSeconds)),
    ]

    private static let durations = [
        HistorySeries(
            "load",
            .between { before, now in
                let loads = now.pairs(before).map { old, new in
                    Double(new.transport.turns.sumNanoseconds - old.transport.turns.sumNanoseconds) / 1e9
                }
                return min((loads.max() ?? 0) / now.seconds(since: before), 1)
            }),
        HistorySeries(
            "turn",
            .between { before, now in
                now.pairs(before).map { percentile($1.transport.turns, since: $0.transport.turns) }.max() ?? 0
            }),
        HistorySeries("append", .between { percentile($1.appends, since: $0.appends) }),
    ]

    private static let events = ClientEvent.allCases.map { event in
        HistorySeries(
            "event " + event.rawValue,
            .rate { reading in
                reading.sumOfRelay { $0.totals.eventsByName.first { $0.name == event.rawValue }?.count ?? 0 }
            })
    }

    private static let refusals = RoomError.Code.allCases.map { code in
        HistorySeries("error " + code.rawValue, .rate { $0.sumOfRelay { $0.totals.refused(code) } })
    }

    private static let ends = DisconnectReason.allCases.map { reason in
        HistorySeries("end " + reason.rawValue, .rate { $0.sum { $0.sessions.ended(reason) } })
    }

    /// The upper end of the bucket in which 99 of 100 durations lie, in seconds; 0 when there is nothing.
    private static func percentile(_ now: DurationHistogram, since before: DurationHistogram) -> Double {
        let counts = zip(now.counts, before.counts).map { $0 - $1 }
        let all = counts.reduce(0, +)
        guard all > 0 else { return 0 }
        var seen = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen * 100 >= all * 99 {
                return Double(DurationHistogram.bounds[min(index, DurationHistogram.bounds.count - 1)]) / 1e9
            }
        }
        return 0
    }

    /// - Parameters:
    ///   - before: the reading before this one.
    ///   - whole: the newest of all shards before this one. What a shard counts while it does not answer counts later.
    func value(_ before: HistoryReading?, whole: HistoryReading, _ now: HistoryReading) -> Double {
        switch kind {
        case .gauge(let number): return number(now)
        case .rate(let total):
            // Readings are a second apart. The first one may come soon after the start.
            return now.isWhole ? max(total(now) - total(whole), 0) / max(now.seconds(since: whole), 1) : 0
        case .between(let number):
            guard let before else { return 0 }
            return max(number(before, now), 0)
        }
    }
}

/// What the history is made of: the numbers of all shards at one moment.
struct HistoryReading: Sendable {
    let at: ContinuousClock.Instant
    /// By index; nil for a shard that did not answer in time.
    let shards: [ShardReading?]
    let residentBytes: Int
    let cpuSeconds: Double

    var isWhole: Bool { shards.allSatisfy { $0 != nil } }

    func seconds(since before: HistoryReading) -> Double { max(before.at.duration(to: at) / .seconds(1), 0.001) }

    func sum(_ number: (ShardReading) -> Int) -> Double {
        Double(shards.reduce(0) { $0 + ($1.map(number) ?? 0) })
    }

    func sumOfRelay(_ number: (RelayReading) -> Int) -> Double { sum { $0.relay.map(number) ?? 0 } }

    func most(_ number: (ShardReading) -> Double) -> Double { shards.compactMap { $0.map(number) }.max() ?? 0 }

    var appends: DurationHistogram {
        var all = DurationHistogram()
        for shard in shards { if let relay = shard?.relay { all.add(relay.totals.appends) } }
        return all
    }

    /// The shards that have answered both times.
    func pairs(_ before: HistoryReading) -> [(ShardReading, ShardReading)] {
        zip(before.shards, shards).compactMap { old, new in
            guard let old, let new else { return nil }
            return (old, new)
        }
    }
}
