import Configuration
import Operations
import Relay
import Transport

/// What a server does for its operators from time to time.
struct OperatorTasks: Sendable {
    private let tasks: [Task<Void, Never>]

    /// - Parameters:
    ///   - bans: nil for a server that keeps nothing. Its bans are in memory.
    ///   - isOfCluster: whether other nodes make bans, too.
    init(
        _ configuration: ServerConfiguration, _ facts: OperatorFacts, _ server: TransportServer, _ rooms: RoomCommands,
        _ bans: BanReading?, isOfCluster: Bool
    ) {
        var tasks: [Task<Void, Never>] = []
        if configuration.operatorToken != nil {
            ConsoleAnswers(facts, server.mailboxes, server.state).answerNodes()
            facts.noteBegin()
            let mailboxes = server.mailboxes
            tasks.append(Task.detached(priority: .background) { await facts.remember(mailboxes) })
        }
        if let bans {
            tasks.append(
                Task.detached {
                    await bans.finish()
                    if isOfCluster { await bans.follow(rooms) }
                })
        }
        self.tasks = tasks
    }

    func cancel() { for task in tasks { task.cancel() } }
}
