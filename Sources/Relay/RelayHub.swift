import Media
import Rooms
import Store
import Transport

/// What the relays of all shards of a server have in common.
package final class RelayHub: Sendable {
    /// The time between two ticks that each shard finds right for itself, in milliseconds, by the shard's index.
    package let tickIntervals: [Counter]

    let flow: FlowControl
    let questions = Questions()
    let directory: any RoomDirectory
    let permissions = PermissionMarks()
    let keeper: any RoomKeeper
    /// Nil when nothing outlives the server.
    let store: (any RoomStore)?
    /// The keys of the files that an element with such values shows, as the store counts them.
    let mediaOf: @Sendable (Element.Values) -> [String]
    /// Those of files that elements must not begin to show.
    let condemned: CondemnedMedia

    /// Is told each delta of each room before anybody else, if there is one.
    let recorder: (any DeltaRecorder)?

    /// - Parameters:
    ///   - directory: who may join which room.
    ///   - keeper: where what rooms are left with is kept when there is no store.
    ///   - store: what outlives the server.
    ///   - mediaOf: the keys of the files that an element with such values shows.
    ///   - condemned: those of files that elements must not begin to show.
    package init(
        shardCount: Int, flow: FlowLimits = FlowLimits(), directory: any RoomDirectory = OpenDirectory(),
        keeper: any RoomKeeper = MemoryKeeper(), store: (any RoomStore)? = nil,
        mediaOf: @escaping @Sendable (Element.Values) -> [String] = { _ in [] },
        condemned: CondemnedMedia = CondemnedMedia(), recorder: (any DeltaRecorder)? = nil
    ) {
        self.recorder = recorder
        self.flow = FlowControl(flow)
        self.directory = directory
        self.keeper = store.map { StoreKeeper(store: $0) } ?? keeper
        self.store = store
        self.mediaOf = mediaOf
        self.condemned = condemned
        tickIntervals = (0..<shardCount).map { _ in Counter() }
    }

    /// Counts a session that a peer begins. Answers how many milliseconds it has to wait for that, 0 when it may now.
    package func beginSession(_ peer: PeerAddress, on loop: any RelayLoop) -> Int { flow.beginSession(peer, on: loop) }
}

/// Looks on at what happens in rooms. Called on the rooms' home shards.
package protocol DeltaRecorder: Sendable {
    func record(_ delta: RoomDelta, of roomID: String, incarnation: UInt64)
}
