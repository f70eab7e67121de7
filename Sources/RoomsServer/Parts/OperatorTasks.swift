import Configuration
import Logging
import Operations
import Relay
import Store
import Threads
import Transport

/// What a server does for its operators from time to time.
struct OperatorTasks: Sendable {
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - store: nil for a server that keeps nothing. Its bans are in memory.
    ///   - isOfCluster: whether other nodes make bans, too.
    init(
        _ configuration: ServerConfiguration, _ facts: OperatorFacts, _ server: TransportServer, _ rooms: RoomCommands,
        _ store: (any OperatorStore)?, isOfCluster: Bool
    ) {
        var tasks: [Task<Void, Never>] = []
        if configuration.operatorToken != nil {
            ConsoleAnswers(facts, server.mailboxes, server.state).answerNodes()
            facts.noteBegin()
            let mailboxes = server.mailboxes
            tasks.append(Task.detached(priority: .background) { await facts.remember(mailboxes) })
        }
        if let store, isOfCluster {
            tasks.append(Task.detached(priority: .background) { await Self.takeBans(of: store, rooms) })
        }
        self.tasks = tasks
    }

    func cancel() { for task in tasks { task.cancel() } }

    /// Bans of other nodes come at once. This finds what a message between nodes has lost.
    private static func takeBans(of store: any OperatorStore, _ rooms: RoomCommands) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(5))
            let changeCount = rooms.banChangeCount
            let bans = await withCheckedContinuation { continuation in
                store.bans(at: Clock.unixSeconds()) { continuation.resume(returning: try? $0.get()) }
            }
            if let bans { rooms.takeBans(bans, changeCount: changeCount) }
        }
    }

    /// The bans that the store has, before the server lets anybody in. It waits for the store, but not long.
    static func loadBans(of store: any OperatorStore, into list: BanList, _ logger: Logger) {
        let loaded = Monitor<[Ban]?>(nil)
        let (end, changeCount) = (Clock.milliseconds() + 5_000, list.changeCount)
        store.bans(at: Clock.unixSeconds()) { result in
            let bans = try? result.get()
            loaded.withLock { $0 = bans ?? [] }
            loaded.notify()
            if bans == nil { logger.error("the bans cannot be read") }
        }
        let bans = loaded.wait { bans -> Monitor<[Ban]?>.Attempt<[Ban]> in
            if let bans { return .done(bans) }
            return Clock.milliseconds() >= end ? .done([]) : .again(at: end)
        }
        _ = list.replace(by: bans, changeCount: changeCount)
    }
}
