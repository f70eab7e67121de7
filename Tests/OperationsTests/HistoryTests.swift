import Testing

@testable import Operations

@Suite("The history of a server")
struct HistoryTests {
    @Test("keeps the mean and the greatest value of each five seconds")
    func samples() {
        var ring = HistoryRing()
        for (second, value) in [1.0, 1, 26, 1, 1, 7].enumerated() {
            ring.add([value, 0], at: 10_000 + Int64(second) * 1_000)
        }
        let samples = ring.samples()
        #expect(samples.first == HistoryRing.Sample(at: 10_000, means: [6, 0], maxima: [26, 0]))
        ring.add([9, 0], at: 21_000)
        #expect(ring.samples().map(\.at) == [10_000, 15_000, 20_000])
        #expect(ring.samples(since: 15_000).map(\.maxima) == [[7, 0], [9, 0]])
    }

    @Test("has a bound: after an hour the oldest sample goes")
    func bound() {
        var ring = HistoryRing()
        for index in 0..<HistoryRing.samplesMax + 5 { ring.add([Double(index)], at: Int64(index) * 5_000) }
        let samples = ring.samples()
        // The newest one still grows.
        #expect(samples.count == HistoryRing.samplesMax + 1)
        #expect(samples.map(\.at) == (4..<5 + Int64(HistoryRing.samplesMax)).map { $0 * 5_000 })
        #expect(samples.last?.maxima == [Float(HistoryRing.samplesMax + 4)])
    }

    @Test("leaves the time open in which nothing was read")
    func gap() {
        var ring = HistoryRing()
        for at: Int64 in [0, 5_000, 60_000, 65_000] { ring.add([1], at: at) }
        #expect(ring.samples().map(\.at) == [0, 5_000, 60_000, 65_000])
    }

    @Test("forgets what would lie in the future when the clock is set back")
    func clockGoesBack() {
        var ring = HistoryRing()
        for at: Int64 in [100_000, 105_000, 110_000, 102_000, 107_000] { ring.add([Double(at)], at: at) }
        let times = ring.samples().map(\.at)
        #expect(times == times.sorted() && times == [100_000, 105_000])
    }

    @Test("has what was counted while a shard did not answer, and before the first reading")
    func late() throws {
        let history = ServerHistory()
        let (start, now) = (ContinuousClock.now, ServerHistory.unixMilliseconds)
        let readings: [(second: Int, shards: [ShardReading?], cpuSeconds: Double)] = [
            (1, [], 1), (2, [nil], 2), (3, [], 4), (4, [], 5),
        ]
        for (second, shards, cpuSeconds) in readings {
            history.add(
                HistoryReading(
                    // So far apart that the time from the history's start to `start` does not show.
                    at: start + .seconds(100 * second), shards: shards, residentBytes: 0, cpuSeconds: 100 * cpuSeconds),
                at: now + Int64(second) * HistoryRing.millisecondsEach)
        }
        let index = try #require(HistorySeries.all.firstIndex { $0.name == "cores" })
        let cores = history.samples().map { ($0.maxima[index] * 10).rounded() / 10 }
        #expect(cores == [1, 0, 1.5, 1])
    }

    @Test("has each series once, and a value of each for a server of which nothing is known")
    func series() {
        let names = HistorySeries.all.map(\.name)
        #expect(Set(names).count == names.count && names.contains("touchesIn") && names.contains("error RATE_LIMITED"))
        let history = ServerHistory()
        let now = ServerHistory.unixMilliseconds
        for second in 0..<12 {
            history.add(
                HistoryReading(at: .now, shards: [nil], residentBytes: 7, cpuSeconds: 0),
                at: now + Int64(second) * 1_000 - 12_000)
        }
        #expect(history.most("memory") == 7 && history.mean("hanging") == 1 && history.mean("load") == 0)
        let json = String(decoding: history.json(since: .min, starts: [1]), as: UTF8.self)
        #expect(json.contains(#""memory":[["#) && !json.contains("touchesIn"))
    }
}
