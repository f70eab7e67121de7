import Glibc
import Rooms
import Store

/// Measures how many entries are stored a second and how long one takes, with so many under way at a time.
final class BenchTrial: @unchecked Sendable {
    private let directory: String
    private var seconds = 5
    private var rooms = 64
    private var inFlight = 64
    private var limits = StoreLimits()

    init?(_ directory: String, _ options: [String]) {
        self.directory = directory
        var rest = options[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst().flatMap({ Int($0) }), value >= 0 else { return nil }
            switch name {
            case "--seconds": seconds = max(value, 1)
            case "--rooms": rooms = max(value, 1)
            case "--in-flight": inFlight = max(value, 1)
            case "--group-milliseconds": limits.groupMilliseconds = Int64(value)
            default: return nil
            }
        }
    }

    func run() throws {
        let isURL = directory.hasPrefix("postgresql:")
        let store = try DatabaseStore(
            isURL ? .postgres(PostgresPlace(directory)) : .directory(directory), limits: limits)
        let bench = BenchLoad(store, rooms: min(rooms, inFlight))
        let before = store.counters
        let start = BenchLoad.microseconds()
        for index in 0..<inFlight { bench.append(to: index % min(rooms, inFlight)) }
        sleep(UInt32(seconds))
        bench.stop()
        let elapsed = Double(BenchLoad.microseconds() - start) / 1e6
        store.close()
        let after = store.counters
        let groups = Double(after.groups - before.groups)
        let jobs = Double(after.jobs - before.jobs)
        let times = bench.times.sorted()
        func at(_ share: Double) -> String {
            guard !times.isEmpty else { return "-" }
            return milliseconds(Double(times[min(Int(Double(times.count) * share), times.count - 1)]))
        }
        print(
            """
            in flight \(inFlight), rooms \(min(rooms, inFlight)), group \(limits.groupMilliseconds) ms: \
            \(Int(jobs / elapsed)) entries/s, \(Int(groups / elapsed)) groups/s of \(Int(jobs / max(groups, 1))), \
            latency ms p50 \(at(0.5)) p99 \(at(0.99)) max \(at(1)), \
            a group takes \(milliseconds(Double(after.groupMicroseconds - before.groupMicroseconds) / max(groups, 1))) ms
            """)
    }

    private func milliseconds(_ microseconds: Double) -> String { "\((microseconds / 10).rounded() / 100)" }
}

/// One entry is appended for each that was stored.
private final class BenchLoad: @unchecked Sendable {
    private let store: DatabaseStore
    private var seqs: [UInt64]
    private var isStopped = false
    private(set) var times: [Int64] = []
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ store: DatabaseStore, rooms: Int) {
        self.store = store
        seqs = Array(repeating: 0, count: rooms)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    func append(to room: Int) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isStopped else { return }
        seqs[room] += 1
        let entry = TrialLog.entry(seqs[room], room: room)
        let start = Self.microseconds()
        store.append([entry], to: "r\(room)") { [self] result in
            _ = StoreTrial.value(result)
            pthread_mutex_lock(mutex)
            times.append(Self.microseconds() - start)
            pthread_mutex_unlock(mutex)
            append(to: room)
        }
    }

    func stop() {
        pthread_mutex_lock(mutex)
        isStopped = true
        pthread_mutex_unlock(mutex)
    }

    static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
