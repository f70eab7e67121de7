import Threads
import Transport

/// One question to all shards of a server, each asked through its mailbox. What has not come in time is left out: a loop
/// that hangs must not keep anybody from seeing the others.
final class Gathering<Answer: Sendable>: Sendable {
    private struct State {
        var answers: [Answer?]
        var missing: Int
        var done: (@Sendable ([Answer?]) -> Void)?
    }

    private let state: Locked<State>

    /// - Parameter done: called once, on any thread, with the answers by the shards' indices.
    init(
        _ mailboxes: [ShardMailbox], _ question: @escaping @Sendable (Shard) -> Answer,
        _ done: @escaping @Sendable ([Answer?]) -> Void
    ) {
        state = Locked(
            State(answers: Array(repeating: nil, count: mailboxes.count), missing: mailboxes.count, done: done))
        for mailbox in mailboxes {
            let isAsked = mailbox.post { shard in self.take(question(shard), of: shard.index) }
            if !isAsked { take(nil, of: mailbox.index) }
        }
    }

    private func take(_ answer: Answer?, of index: Int) {
        finish { state in
            state.answers[index] = answer
            state.missing -= 1
            return state.missing == 0
        }
    }

    /// The time is over.
    func giveUp() {
        finish { _ in true }
    }

    private func finish(_ change: (inout State) -> Bool) {
        let ready = state.withLock { state -> (done: @Sendable ([Answer?]) -> Void, answers: [Answer?])? in
            guard change(&state), let done = state.done else { return nil }
            state.done = nil
            return (done, state.answers)
        }
        if let ready { ready.done(ready.answers) }
    }
}
