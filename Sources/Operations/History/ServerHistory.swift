import Glibc
import Threads
import Transport
import Wire

/// An hour of the server's numbers, for operators who look afterwards.
package final class ServerHistory: Sendable {
    private static let interval = Duration.seconds(1)
    /// Past it a shard counts as one that hangs.
    private static let patience = Duration.milliseconds(900)

    private struct State {
        var ring = HistoryRing()
        var newest: HistoryReading?
        /// The newest reading for which all shards answered in time; at first the server's start, when nothing had happened.
        var whole = HistoryReading(at: .now, shards: [], residentBytes: 0, cpuSeconds: 0)
    }

    private let state = Locked(State())

    package init() {}

    /// Reads the numbers of all shards each second, until the task is cancelled.
    package func run(_ mailboxes: [ShardMailbox]) async {
        while !Task.isCancelled {
            let shards = await Self.ask(mailboxes)
            add(
                HistoryReading(
                    at: .now, shards: shards, residentBytes: ProcessReading.memoryBytes().resident,
                    cpuSeconds: ProcessReading.cpuSecondsSpent()), at: Self.unixMilliseconds)
            try? await Task.sleep(for: Self.interval)
        }
    }

    private static func ask(_ mailboxes: [ShardMailbox]) async -> [ShardReading?] {
        await withCheckedContinuation { continuation in
            let gathering = Gathering(mailboxes, NumbersQuestion(askedAt: .now)) { answers in
                continuation.resume(returning: answers.map { $0?.reading })
            }
            Task.detached {
                try? await Task.sleep(for: patience)
                gathering.giveUp()
            }
        }
    }

    static var unixMilliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    func add(_ reading: HistoryReading, at milliseconds: Int64) {
        state.withLock { state in
            let values = HistorySeries.all.map { $0.value(state.newest, whole: state.whole, reading) }
            state.ring.add(values, at: milliseconds)
            state.newest = reading
            if reading.isWhole { state.whole = reading }
        }
    }

    func samples(since moment: Int64 = .min) -> [HistoryRing.Sample] {
        state.withLock { $0.ring.samples(since: moment) }
    }

    /// The greatest value of a series in the newest minutes.
    func most(_ name: String, inLast minutes: Int64 = 1) -> Double { newest(name, minutes, \.maxima).max() ?? 0 }

    /// The mean of a series in the newest minutes.
    func mean(_ name: String, inLast minutes: Int64 = 1) -> Double {
        let values = newest(name, minutes, \.means)
        return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }

    private func newest(
        _ name: String, _ minutes: Int64, _ values: KeyPath<HistoryRing.Sample, [Float]>
    ) -> [Double] {
        guard let index = HistorySeries.all.firstIndex(where: { $0.name == name }) else { return [] }
        return samples(since: Self.unixMilliseconds - minutes * 60_000).map { Double($0[keyPath: values][index]) }
    }

    /// The samples since a moment as JSON, series by series. A series that has only zeros is left out.
    ///
    /// - Parameter starts: when the server began, and began before, in milliseconds since 1970.
    func json(since moment: Int64, starts: [Int64]) -> [UInt8] {
        let samples = samples(since: moment)
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("now", Int(Self.unixMilliseconds))
            json.key("starts")
            json.beginArray()
            for start in starts { json.int(Int(start)) }
            json.endArray()
            json.member("each", Int(HistoryRing.millisecondsEach))
            json.key("at")
            json.beginArray()
            for sample in samples { json.int(Int(sample.at)) }
            json.endArray()
            json.key("series")
            json.beginObject()
            for (index, series) in HistorySeries.all.enumerated()
            where samples.contains(where: { $0.maxima[index] != 0 }) {
                json.key(series.name)
                json.beginArray()
                Self.write(samples.lazy.map { $0.means[index] }, to: &json)
                Self.write(samples.lazy.map { $0.maxima[index] }, to: &json)
                json.endArray()
            }
            json.endObject()
            json.endObject()
        }
        return bytes
    }

    private static func write(_ values: some Sequence<Float>, to json: inout JSONWriter) {
        json.beginArray()
        for value in values {
            // Large numbers need no fractions, and a whole one is shorter.
            let rounded = value.magnitude >= 100 ? value.rounded() : (value * 10_000).rounded() / 10_000
            if rounded == rounded.rounded(), rounded.magnitude < 1e15 {
                json.int(Int(rounded))
            } else {
                json.double((Double(rounded) * 10_000).rounded() / 10_000)
            }
        }
        json.endArray()
    }
}
