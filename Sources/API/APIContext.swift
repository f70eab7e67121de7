import Relay
import Store

/// The parts of the server that handlers use.
struct APIContext: Sendable {
    let store: any ServerStore
    /// The rooms in use.
    let rooms: RoomCommands
    let turns: RoomTurns
    /// Whether every user may join every room.
    let isOpen: Bool
    let limits: APILimits
    /// Nil on a server without uploads.
    let media: MediaService?
    /// Nil on a server that records no rooms.
    let recordings: RecordingService?

    /// Asks the store and waits for its answer.
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

    /// Tells a room in use of a change, and waits until it has handled it. A room that is not in use need not be told.
    func tell(_ command: (RoomCommands, @escaping RoomCommands.Done) -> Void) async {
        _ = await withCheckedContinuation { continuation in
            command(rooms) { continuation.resume(returning: $0) }
        }
    }

    /// Sends a change that a request makes to a room's home. The home stores it by itself, so the session of the request is looked at here,
    /// right before.
    func send<Outcome: Sendable>(
        _ command: (RoomCommands, @escaping @Sendable (Outcome) -> Void) -> Void
    ) async throws(APIError) -> Outcome {
        if let mandate = Mandate.current {
            let open = try await ask { $0.session(mandate.session, at: .min, then: $1) }
            guard open?.person.id.isSameID(as: mandate.person) == true else { throw APIError(StoreError.ended) }
        }
        return await withCheckedContinuation { continuation in
            command(rooms) { continuation.resume(returning: $0) }
        }
    }

    /// Repeats a command later, as long as it applies. A user may have been entering the room meanwhile: permitted
    /// before the change and admitted after it. This takes as long as the store takes to read the room.
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
