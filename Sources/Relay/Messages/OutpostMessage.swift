import Rooms
import Sessions

/// A message of a room's home to its outpost on another node.
package enum OutpostMessage: Sendable {
    /// The changes of the room.
    case delta(RoomDelta)
    /// The room has admitted clients of the node.
    case entered(NodeEntries)
    /// A message to a client of the node.
    case client(ConnectionID, ClientMessage)
    /// Whether the room takes touches now.
    case isFull(Bool)
    /// A change of a client of the node that wants no answer is made.
    case changed(ConnectionID)
    /// The store has this end of a touch of a client of the node.
    case endStored(ConnectionID, number: UInt64)
    /// This node is not the room's home, or not any more.
    case notHome
    /// This node has given the room away. It has not done what it has not answered.
    case givenAway
}

/// The answers to all clients of one node that a room admits with one tick. The state is sent once for all of them.
package struct NodeEntries: Sendable {
    struct Item: Sendable {
        /// What the client gets.
        enum Told: Sendable {
            /// The state, and the client's own entry in the list of participants.
            case state(listed: [UInt8])
            /// The entries since the client's cursor.
            case missed([LogEntry])
        }

        let connection: ConnectionID
        let purpose: Entry.Purpose
        let slot: Int
        let told: Told
    }

    let snapshot: RoomDelta
    let seq: UInt64
    let idJSON: [UInt8]
    let incarnation: UInt64
    /// Nil when no client needs it.
    let state: RoomState?
    let items: [Item]

    /// Missed entries that one message has, unless one client misses more.
    private static let missedBytesMax = 256 << 10

    /// The answers in messages that are not too long. One of them has the state.
    static func portions(_ answers: [(Entry, EntryAnswer)]) -> [NodeEntries] {
        var portions: [[(Entry, EntryAnswer)]] = [[]]
        var byteCount = 0
        for answer in answers {
            guard case .missed(let entries) = answer.1.told else {
                portions[0].append(answer)
                continue
            }
            let count = entries.reduce(0) { $0 + $1.frames.count }
            if portions.count == 1 || byteCount + count > missedBytesMax {
                portions.append([])
                byteCount = 0
            }
            portions[portions.count - 1].append(answer)
            byteCount += count
        }
        return portions.compactMap(NodeEntries.init)
    }

    /// The answers with their shared parts apart; nil without any.
    init?(_ answers: [(Entry, EntryAnswer)]) {
        guard let first = answers.first?.1 else { return nil }
        var state: RoomState?
        items = answers.map { entry, answer in
            let told: Item.Told
            switch answer.told {
            case .state(let shared, let listed):
                state = shared
                told = .state(listed: listed)
            case .missed(let entries): told = .missed(entries)
            }
            return Item(connection: entry.connection, purpose: entry.purpose, slot: answer.slot, told: told)
        }
        self.state = state
        (snapshot, seq, idJSON, incarnation) = (first.snapshot, first.seq, first.idJSON, first.incarnation)
    }

    init(
        snapshot: RoomDelta, seq: UInt64, idJSON: [UInt8], incarnation: UInt64, state: RoomState?, items: [Item]
    ) {
        (self.snapshot, self.seq, self.idJSON) = (snapshot, seq, idJSON)
        (self.incarnation, self.state, self.items) = (incarnation, state, items)
    }

    /// The answer for one client of this node.
    func answer(_ item: Item, gate: RoomGate) -> EntryAnswer? {
        let told: EntryAnswer.Told
        switch item.told {
        case .missed(let entries): told = .missed(entries)
        case .state(let listed):
            guard let state else { return nil }
            told = .state(state, listed: listed)
        }
        return EntryAnswer(
            slot: item.slot, told: told, snapshot: snapshot, seq: seq, idJSON: idJSON, incarnation: incarnation,
            gate: gate, isElsewhere: true)
    }
}

/// What a shard is told of another node.
package enum PeerMessage: Sendable {
    /// Messages can be sent to the node. The number distinguishes the lives of the pipe.
    case established(Int, life: UInt64)
    /// What was sent to the node and has not arrived is gone.
    case lost(Int)
    /// This node was silent for so long that others may have become home to its rooms; so often since its start.
    case lapsed(Int)
}
