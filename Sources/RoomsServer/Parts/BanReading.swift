import Logging
import Relay
import Store
import Threads
import Transport

/// Reads the bans of the store into a server's list, which holds off everybody until then.
struct BanReading: Sendable {
    /// The longest wait for the store at a start. After it the server begins and lets nobody in.
    static let patienceMilliseconds: Int64 = 5_000
    private static let pauseMilliseconds: Int64 = 1_000
    /// The pause between two log lines about the same failure.
    private static let logMilliseconds: Int64 = 60_000
    /// The pause after which a node of a cluster reads the bans again.
    private static let againMilliseconds: Int64 = 5_000

    private let store: any OperatorStore
    private let list: BanList
    private let logger: Logger
    private let begun = Clock.milliseconds()
    private let said = Locked(Said.nothing)

    /// The newest line of the log about it. Answers come from the store's threads, at any time.
    private enum Said {
        case nothing, closed, open
    }

    /// Tries for the first time, before the server lets anybody in, and waits for the answer. One that comes later is taken, too.
    init(
        _ store: any OperatorStore, _ list: BanList, _ logger: Logger,
        patienceMilliseconds: Int64 = BanReading.patienceMilliseconds
    ) {
        (self.store, self.list, self.logger) = (store, list, logger)
        begin(patienceMilliseconds)
    }

    private func begin(_ patienceMilliseconds: Int64) {
        let end = begun + patienceMilliseconds
        let isOver = Monitor(false)
        read { error in
            if let error { logFailure(error.description) }
            isOver.withLock { $0 = true }
            isOver.notify()
        }
        let hasAnswered = isOver.wait { isOver -> Monitor<Bool>.Attempt<Bool> in
            isOver || Clock.milliseconds() >= end ? .done(isOver) : .again(at: end)
        }
        if !hasAnswered { logFailure("the store has not answered yet") }
    }

    /// Tries until the bans are read.
    func finish() async {
        var (loggedAt, logged) = (Clock.milliseconds(), "")
        while !Task.isCancelled, !list.isRead {
            try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
            let error = await withCheckedContinuation { continuation in read { continuation.resume(returning: $0) } }
            guard let reason = error?.description else { continue }
            let now = Clock.milliseconds()
            guard reason != logged || now - loggedAt >= Self.logMilliseconds else { continue }
            (loggedAt, logged) = (now, reason)
            logFailure(reason)
        }
    }

    /// Bans of other nodes come at once. This finds what a message between nodes has lost.
    func follow(_ rooms: RoomCommands) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(Self.againMilliseconds))
            let changeCount = rooms.banChangeCount
            let bans = await withCheckedContinuation { continuation in
                store.bans(at: Clock.unixSeconds()) { continuation.resume(returning: try? $0.get()) }
            }
            if let bans { rooms.takeBans(bans, changeCount: changeCount) }
        }
    }

    private func read(_ done: @escaping @Sendable (StoreError?) -> Void) {
        let changeCount = list.changeCount
        store.bans(at: Clock.unixSeconds()) { result in
            switch result {
            case .success(let bans):
                _ = list.replace(by: bans, changeCount: changeCount)
                if list.isRead { logOpening() }
                done(nil)
            case .failure(let error): done(error)
            }
        }
    }

    /// The log says nothing that is over, whichever answer came first.
    private func logFailure(_ reason: String) {
        said.withLock { said in
            guard said != .open else { return }
            said = .closed
            logger.error("the bans cannot be read: nobody is let in until they are", ["reason": reason])
        }
    }

    /// Says it once, and only if the log has said that nobody is let in.
    private func logOpening() {
        said.withLock { said in
            defer { said = .open }
            guard said == .closed else { return }
            let milliseconds = Int(Clock.milliseconds() - begun)
            logger.info("the bans are read: clients are let in", ["afterMilliseconds": milliseconds])
        }
    }
}
