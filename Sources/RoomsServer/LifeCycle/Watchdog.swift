import Glibc
import Transport

/// Sends the service manager signs of life, as long as every event loop has answered the last question. When a loop
/// hangs, they end, and the service manager starts the server anew.
final class Watchdog {
    private let manager: ServiceManager
    private let loops: LoopCheck?
    private let interval: Int
    private var due = 0

    /// - Parameter loops: nil while there is no server yet. Then a call of `comeBy` is enough for a sign of life.
    init(_ manager: ServiceManager, _ loops: LoopCheck?) {
        self.manager = manager
        self.loops = loops
        interval = manager.watchdogMilliseconds.map { max($0 / 4, 1) } ?? 0
        loops?.ask()
    }

    /// The longest time until the next call of `comeBy`; nil for no limit.
    var millisecondsMax: Int? { interval > 0 ? interval : nil }

    func comeBy() {
        guard interval > 0, Self.now() >= due else { return }
        due = Self.now() + interval
        guard loops?.haveAnswered ?? true else { return }
        loops?.ask()
        manager.works()
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}

/// Whether event loops turn.
final class LoopCheck: Sendable {
    private let mailboxes: [ShardMailbox]
    private let answers = Counter()

    init(_ mailboxes: [ShardMailbox]) {
        self.mailboxes = mailboxes
    }

    func ask() {
        answers.set(0)
        for mailbox in mailboxes { mailbox.post(LoopQuestion(answers: answers)) }
    }

    /// Whether all loops have answered the last question.
    var haveAnswered: Bool { answers.value == mailboxes.count }
}

/// The question to a loop whether it turns.
private struct LoopQuestion: ShardItem {
    let answers: Counter

    func arrive(on shard: Shard) {
        answers.add()
    }
}
