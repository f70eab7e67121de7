import Rooms
import Threads
import Transport

/// Keeps the contents of empty rooms in memory, until a client joins again or the server ends. It is bounded in rooms
/// and in bytes: past a bound the rooms go that have been empty for longest. A room without elements leaves nothing.
package final class MemoryKeeper: RoomKeeper {
    static let roomsMax = 10_000

    private struct State {
        var left = AgedTable<RoomID, RoomContents>()
        var byteCount = 0
    }

    private let state = Locked(State())
    private let bytesMax: Int

    /// - Parameter bytesMax: the memory of contents, as `RoomContents.memoryBytes` counts it.
    package init(bytesMax: Int = 256 << 20) {
        self.bytesMax = bytesMax
    }

    /// The number of kept rooms and their bytes.
    package var counts: (rooms: Int, bytes: Int) { state.withLock { ($0.left.count, $0.byteCount) } }

    package func load(
        _ roomID: String, later: @escaping @Sendable (Result<RoomContents?, RoomError>) -> Void
    ) -> Result<RoomContents?, RoomError>? {
        let contents = state.withLock { state in
            let contents = state.left.remove(RoomID(roomID))
            state.byteCount -= contents?.memoryBytes ?? 0
            return contents
        }
        return .success(contents)
    }

    /// A kept room, which stays kept.
    package func look(at roomID: String) -> RoomContents? { state.withLock { $0.left[RoomID(roomID)] } }

    /// Kept rooms whose id contains a text, by their ids, after one of them.
    package func find(_ text: String, after: String, most: Int) -> [(id: String, elements: Int)] {
        let query = RoomQuery(.id, most: most, text: text, after: after)
        return state.withLock { state in
            state.left.all.filter { query.isMeant($0.key.text) }
                .sorted { RoomQuery.precedes($0.key.text, $1.key.text) }.prefix(most)
                .map { ($0.key.text, $0.value.elementCount) }
        }
    }

    package func store(_ contents: RoomContents, of roomID: String) {
        guard contents.elementCount > 0 else { return }
        let contents = contents.condensed
        state.withLock { state in
            state.byteCount += contents.memoryBytes - (state.left[RoomID(roomID)]?.memoryBytes ?? 0)
            state.left.put(contents, for: RoomID(roomID))
            while state.left.count > Self.roomsMax || state.byteCount > bytesMax, let gone = state.left.removeOldest() {
                state.byteCount -= gone.memoryBytes
            }
        }
    }
}
