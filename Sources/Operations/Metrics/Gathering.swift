import Threads
import Transport

/// What a server's shards are asked: a value that each shard answers on its own thread.
protocol ShardQuestion: Sendable {
    associatedtype Answer: Sendable

    func answer(on shard: Shard) -> Answer
}

/// One question to all shards of a server, each asked through its mailbox. What has not come in time is left out: a loop
/// that hangs must not keep operators from seeing the others.
final class Gathering<Question: ShardQuestion>: Sendable {
    typealias Done = @Sendable ([Question.Answer?]) -> Void

    private struct State {
        var answers: [Question.Answer?]
        var missing: Int
        var done: Done?
    }

    private struct Asked: ShardItem {
        let question: Question
        let gathering: Gathering<Question>

        func arrive(on shard: Shard) {
            gathering.take(question.answer(on: shard), of: shard.index)
        }
    }

    private let state: Locked<State>

    /// - Parameter done: called once, on any thread, with the answers by the shards' indices.
    init(_ mailboxes: [ShardMailbox], _ question: Question, _ done: @escaping Done) {
        state = Locked(
            State(answers: Array(repeating: nil, count: mailboxes.count), missing: mailboxes.count, done: done))
        for mailbox in mailboxes where !mailbox.post(Asked(question: question, gathering: self)) {
            take(nil, of: mailbox.index)
        }
    }

    private func take(_ answer: Question.Answer?, of index: Int) {
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
        let ready = state.withLock { state -> (done: Done, answers: [Question.Answer?])? in
            guard change(&state), let done = state.done else { return nil }
            state.done = nil
            return (done, state.answers)
        }
        if let ready { ready.done(ready.answers) }
    }
}
