import Glibc
import Rooms
import Store

/// Appends to rooms, several entries of each under way at a time, until it is killed.
final class AppendTrial: Sendable {
    static let rooms = 6
    private static let inFlight = 8

    private let store: DatabaseStore
    /// Reports entries as stored that were only submitted: the trial has to notice that.
    private let isLying: Bool

    init(_ directory: String, isLying: Bool) throws {
        self.isLying = isLying
        store = try DatabaseStore(.directory(directory), limits: Self.limits)
    }

    /// The journal of every other room is shortened all the time. The elements then show what the journal does not have
    /// any more.
    static var limits: StoreLimits {
        var limits = StoreLimits()
        limits.journalEntriesMax = 500
        limits.journalBytesMax = 64 << 10
        limits.tombstonesMax = 100
        limits.sweepMilliseconds = 50
        limits.journalSecondsMax = 1 << 40
        return limits
    }

    func run() throws -> Never {
        for room in 0..<Self.rooms {
            store.load("r\(room)") { result in
                let seq = StoreTrial.value(result)?.seq ?? 0
                let writer = RoomWriter(room, self.store, after: seq, isLying: self.isLying)
                for _ in 0..<Self.inFlight { writer.append() }
            }
        }
        while true { pause() }
    }
}

/// Appends one entry for each that was stored.
private final class RoomWriter: @unchecked Sendable {
    private let room: Int
    private let store: DatabaseStore
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let isLying: Bool
    private var seq: UInt64

    init(_ room: Int, _ store: DatabaseStore, after seq: UInt64, isLying: Bool) {
        self.isLying = isLying
        self.room = room
        self.store = store
        self.seq = seq
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// Called on the thread that read and on the thread that writes.
    func append() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        seq += 1
        if isLying { tell(seq) }
        store.append([TrialLog.entry(seq, room: room)], to: "r\(room)") { [self] result in
            let stored = StoreTrial.value(result)
            if !isLying { tell(stored) }
            append()
        }
    }

    private func tell(_ seq: UInt64) {
        let line = Array("\(room) \(seq)\n".utf8)
        // The line is written completely: it is shorter than a pipe's atomic write.
        guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(0) }
    }
}
