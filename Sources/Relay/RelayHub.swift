import Media
import Rooms
import Store
import Threads
import Transport

/// The state that the relays of all shards of a server share.
package final class RelayHub: Sendable {
    /// The time between two ticks that each shard has chosen, in milliseconds, by the shard's index.
    package let tickIntervals: [Counter]

    let flow: FlowControl
    let questions: Questions
    /// Nil on a server that is not part of a cluster.
    let cluster: RelayCluster?
    let directory: any RoomDirectory
    /// The users and addresses that operators have banned.
    package let bans: BanList
    let permissions = PermissionMarks()
    let keeper: any RoomKeeper
    /// Nil without a data directory.
    let store: (any RoomStore)?
    /// The keys of the files that an element with such values shows, as the store counts them.
    let mediaOf: @Sendable (Element.Values) -> [String]
    /// Files that elements must not begin to show.
    let condemned: CondemnedMedia

    /// Answers what operators ask of this node at another one; nil where operators have no token.
    package typealias Consultant =
        @Sendable (_ question: [UInt8], _ answer: @escaping @Sendable ([UInt8]) -> Void) -> Void
    let consultant = Locked<Consultant?>(nil)

    package func answerOperators(by consultant: @escaping Consultant) {
        self.consultant.withLock { $0 = consultant }
    }

    /// Shards that have not given all their rooms to other nodes, while this node ends.
    package let shardsHandingOver = Counter()

    /// Gets each delta of each room before all others; usually nil.
    let recorder: (any DeltaRecorder)?
    /// Writes recordings of rooms; nil where none are made.
    let roomRecorder: (any RoomRecorder)?
    /// Has the inputs of some rooms recorded; usually nil.
    let flights: (any FlightRecorders)?

    /// - Parameters:
    ///   - directory: the permissions to join rooms.
    ///   - keeper: keeps the contents of empty rooms when there is no store.
    ///   - store: the data that survives a restart.
    ///   - mediaOf: the keys of the files that an element with such values shows.
    ///   - condemned: files that elements must not begin to show.
    ///   - bans: unread for a server whose store may have some.
    package init(
        shardCount: Int, flow: FlowLimits = FlowLimits(), directory: any RoomDirectory = OpenDirectory(),
        keeper: any RoomKeeper = MemoryKeeper(), store: (any RoomStore)? = nil,
        mediaOf: @escaping @Sendable (Element.Values) -> [String] = { _ in [] },
        condemned: CondemnedMedia = CondemnedMedia(), recorder: (any DeltaRecorder)? = nil,
        roomRecorder: (any RoomRecorder)? = nil, flights: (any FlightRecorders)? = nil, cluster: RelayCluster? = nil,
        bans: BanList = BanList()
    ) {
        self.bans = bans
        self.cluster = cluster
        questions = Questions(node: cluster?.node.id ?? 0)
        self.recorder = recorder
        self.roomRecorder = roomRecorder
        self.flights = flights
        self.flow = FlowControl(flow)
        self.directory = directory
        self.keeper = store.map { StoreKeeper(store: $0) } ?? keeper
        self.store = store
        self.mediaOf = mediaOf
        self.condemned = condemned
        tickIntervals = (0..<shardCount).map { _ in Counter() }
    }

    /// The number of this node; 0 on a server that is not part of a cluster.
    package var node: Int { cluster?.node.id ?? 0 }

    /// The shard that waits for the answer to a question; nil when none does any more.
    package func shard(ofQuestion number: UInt64) -> Int? { questions.shard(of: number) }

    /// Counts a session that a peer begins. Returns how many milliseconds it has to wait; 0 when it may begin now.
    package func beginSession(_ peer: PeerAddress, on loop: any RelayLoop) -> Int { flow.beginSession(peer, on: loop) }

    package var meters: [any Meters] { [flow.accounts, flow.addresses] }
}

/// Observes the deltas of rooms. It is called on the rooms' home shards.
package protocol DeltaRecorder: Sendable {
    /// - Parameter seq: the newest entry of the room's log with this delta.
    func record(_ delta: RoomDelta, of roomID: String, incarnation: UInt64, seq: UInt64)
}

/// Chooses the rooms whose inputs are recorded. It is called on the rooms' home shards.
package protocol FlightRecorders: Sendable {
    /// A room comes into use here.
    func recorder(of roomID: String) -> FlightRecorder?
}
