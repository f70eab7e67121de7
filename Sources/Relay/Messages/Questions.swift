import Rooms
import Threads

/// Questions from other threads to the relay that wait for an answer, by number.
///
/// Each gets one answer. A question whose shard stops before it answers gets `unavailable`.
package final class Questions: Sendable {
    package enum Answer: Sendable {
        case outcome(RoomCommands.Outcome)
        case people([String])
        case stored(RoomError?)
        case element(Result<ElementOutcome, RoomError>)
        case media(Set<String>)
        case count(Int)
        /// What operators have asked another node.
        case told([UInt8])
        /// The shard's mailbox is full, or the shard has stopped.
        case unavailable
    }

    typealias Done = @Sendable (Answer) -> Void

    private static let nodeShift: UInt64 = 58

    /// The node at which a question was asked.
    static func node(of number: UInt64) -> Int { Int(number >> nodeShift) }

    private struct State {
        var nextNumber: UInt64
        var waiting: [UInt64: (shard: Int, done: Done)] = [:]
    }

    private let state: Locked<State>

    /// - Parameter node: the number of this node. Answers to questions of its earlier lives reach none of this one.
    init(node: Int) {
        state = Locked(State(nextNumber: UInt64(node) << Self.nodeShift | UInt64.random(in: 0..<1 << 48)))
    }

    var count: Int { state.withLock { $0.waiting.count } }

    /// Adds a question to a shard.
    func begin(to shard: Int, _ done: @escaping Done) -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            state.waiting[state.nextNumber] = (shard, done)
            return state.nextNumber
        }
    }

    func shard(of number: UInt64) -> Int? { state.withLock { $0.waiting[number]?.shard } }

    func answer(_ number: UInt64, _ answer: Answer) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.done(answer)
    }

    /// A shard has stopped and will not answer any more.
    func end(of shard: Int) {
        let left = state.withLock { state in
            let left = state.waiting.filter { $0.value.shard == shard }
            for number in left.keys { state.waiting[number] = nil }
            return left
        }
        for question in left.values { question.done(.unavailable) }
    }
}
