import Glibc
import Rooms
import Store

/// Kills a process that appends, at random moments, and looks after each kill whether everything is there that it was
/// told was stored: once, in order, and folded into the elements.
///
/// Most processes are killed a moment after a random number of acks, so that a busy machine does not kill them all before
/// the first. The first process, which makes the store, and every fourth after it are killed a moment after their start.
struct KillTrial {
    private let command: String
    private let directory: String
    private let seed: UInt64
    private var random: TrialRandom
    /// By room, over all processes.
    private var acked = [UInt64](repeating: 0, count: AppendTrial.rooms)
    private var ackCount = 0

    init(_ command: String, _ directory: String, seed: UInt64) {
        self.command = command
        self.directory = directory
        self.seed = seed
        random = TrialRandom(state: seed)
    }

    func run(_ count: Int) throws {
        var trial = self
        var kills = 0
        for kill in 1...count {
            let (process, pipe) = try spawn()
            let acks = kill % 4 == 1 ? 0 : 1 + Int(trial.random.next() % Self.acksMax)
            let pause = Int64(trial.random.next() % Self.pauseMillisecondsMax)
            let output = Self.read(pipe, untilLines: acks, andMilliseconds: pause) { Glibc.kill(process, SIGKILL) }
            var status: Int32 = 0
            waitpid(process, &status, 0)
            close(pipe)
            guard status & 0x7f == SIGKILL else {
                throw TrialFailure("seed \(seed), kill \(kill): the process ended by itself: \(status)")
            }
            kills += 1
            do {
                let told = try trial.take(output)
                guard told >= acks else { throw TrialFailure("\(told) acks in \(Self.patienceMilliseconds / 1_000) s") }
                try trial.look()
            } catch {
                throw TrialFailure("seed \(seed), kill \(kill): \(error)")
            }
        }
        let stored = trial.acked.reduce(0, +)
        print("seed \(seed): \(kills) kills, \(trial.ackCount) acks, \(stored) entries: each is there, once, in order")
    }

    private static let acksMax: UInt64 = 1_000
    /// So that a kill can come at each point of the process's start, and between two groups of entries.
    private static let pauseMillisecondsMax: UInt64 = 12
    /// After this time without enough acks the process is killed, and the trial fails.
    private static let patienceMilliseconds: Int64 = 60_000

    /// The lines of the process. The last one may be cut off.
    private mutating func take(_ output: [UInt8]) throws -> Int {
        let before = ackCount
        for line in output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            let numbers = line.split(separator: UInt8(ascii: " ")).map { UInt64(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 2, let room = numbers[0], let seq = numbers[1], room < acked.count else {
                throw TrialFailure("an ack that is none: \(String(decoding: line, as: UTF8.self))")
            }
            guard seq > acked[Int(room)] else {
                throw TrialFailure("room \(room): \(seq) acked after \(acked[Int(room)])")
            }
            acked[Int(room)] = seq
            ackCount += 1
        }
        return ackCount - before
    }

    private func look() throws {
        guard acked.contains(where: { $0 > 0 }) || access("\(directory)/rooms.db", F_OK) == 0 else { return }
        let store = try DatabaseStore(.directory(directory), limits: AppendTrial.limits)
        for room in 0..<AppendTrial.rooms {
            let stored = try TrialWait.result { store.load("r\(room)", then: $0) }
            try check(stored, room)
        }
        store.close()
        let report = try StoreCheck.run(.directory(directory))
        guard report.findings.isEmpty else { throw TrialFailure(report.findings.joined(separator: " ")) }
    }

    private func check(_ stored: StoredRoom?, _ room: Int) throws {
        let seq = stored?.seq ?? 0
        guard seq >= acked[room] else { throw TrialFailure("room \(room): \(acked[room]) was acked, \(seq) is stored") }
        guard let stored, seq > 0 else { return }
        guard stored.entries.last?.seq == seq else { throw TrialFailure("room \(room): the journal's end is missing") }
        for (entry, number) in zip(stored.entries, (seq - UInt64(stored.entries.count) + 1)...seq) {
            let right = TrialLog.entry(number, room: room)
            guard entry.seq == number, entry.json == right.json, entry.at == right.at else {
                throw TrialFailure("room \(room): entry \(number) is not what was appended")
            }
        }
        // Each process begins an era.
        let elements = stored.elements.map { kept in
            var element = kept.element
            element.era = 0
            return StoredElement(element: element, creation: kept.creation, seq: kept.seq)
        }
        guard elements == TrialLog.elements(after: seq, room: room) else {
            throw TrialFailure("room \(room): the elements are not those of entry \(seq)")
        }
    }

    // MARK: The process

    private func spawn() throws -> (pid_t, Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw TrialFailure("no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var process = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = ["store-trial", command, directory].map { (word: String) in
            strdup(word)
        }
        var arguments = words + [nil]
        defer { for argument in arguments { free(argument) } }
        let status = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
        close(ends[1])
        guard status == 0 else { throw TrialFailure("no process: \(String(cString: strerror(status)))") }
        return (process, ends[0])
    }

    /// Reads until a time, calls the body, and reads the rest.
    private static func read(
        _ pipe: Int32, untilLines lines: Int, andMilliseconds milliseconds: Int64, _ atTime: () -> Void
    ) -> [UInt8] {
        var end = now() + (lines > 0 ? patienceMilliseconds : milliseconds)
        var missing = lines
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var isOver = false
        while true {
            if !isOver {
                var event = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
                let rest = end - now()
                if rest <= 0 || poll(&event, 1, Int32(clamping: rest)) == 0 {
                    isOver = true
                    atTime()
                }
            }
            let count = Glibc.read(pipe, &chunk, chunk.count)
            guard count > 0 else { return output }
            output += chunk[..<count]
            guard missing > 0 else { continue }
            missing -= chunk[..<count].count { $0 == UInt8(ascii: "\n") }
            if missing <= 0 { end = now() + milliseconds }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// SplitMix64: the same moments for the same seed, as far as two processes keep to them.
struct TrialRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
