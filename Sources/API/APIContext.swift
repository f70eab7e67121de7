import Relay
import Store

/// What handlers work with.
struct APIContext: Sendable {
    let store: any ServerStore
    /// The rooms that are in use.
    let rooms: RoomCommands
    let turns: RoomTurns
    /// Whether everybody may be in every room.
    let isOpen: Bool
    let limits: APILimits
    /// Nil where no files are kept.
    let media: MediaService?

    /// Asks the store and waits for what it answers.
    func ask<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async throws(APIError) -> Value {
        let answer: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            question(store) { continuation.resume(returning: $0) }
        }
        switch answer {
        case .success(let value): return value
        case .failure(let error): throw APIError(error)
        }
    }

    /// Has a room that is in use told of a change, and waits until it has been. A room that nobody is in needs no word.
    func tell(_ command: (RoomCommands, @escaping RoomCommands.Done) -> Void) async {
        _ = await withCheckedContinuation { continuation in
            command(rooms) { continuation.resume(returning: $0) }
        }
    }

    /// Repeats a command later as long as it holds. Somebody may have been on the way into the room, permitted before the
    /// change and let in after it, which takes as long as the store takes to read the room.
    func lookAgain(
        at account: String, in room: String, _ stillHolds: @escaping @Sendable (RoomStanding) -> Bool,
        then command: @escaping @Sendable (RoomCommands, @escaping RoomCommands.Done) -> Void
    ) {
        let api = self
        Task.detached {
            for seconds in [3, 10, 30] {
                try? await Task.sleep(for: .seconds(seconds))
                let standing = try? await api.ask { $0.standing(of: account, in: room, then: $1) }
                if let standing, !stillHolds(standing) { return }
                if standing != nil { await api.tell(command) }
            }
        }
    }
}
