import Threads
import Transport
import Wire

/// Changes of one room take turns, each from the store to the members. Otherwise, of two changes, one could be stored
/// last and the other sent last.
final class RoomTurns: Sendable {
    /// The waiting changes of each room that is being changed. Their number is bounded with the requests.
    private let waiting = Locked<[ExactText: [CheckedContinuation<Void, Never>]]>([:])

    /// Returns when it is the caller's turn, which lasts until `give`.
    func take(_ room: ExactText) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[room] != nil else {
                    waiting[room] = []
                    return true
                }
                waiting[room]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func give(_ room: ExactText) {
        let next: CheckedContinuation<Void, Never>? = waiting.withLock { waiting in
            guard waiting[room]?.isEmpty == false else {
                waiting[room] = nil
                return nil
            }
            return waiting[room]?.removeFirst()
        }
        next?.resume()
    }
}

extension Route where Group == API {
    /// Makes a handler wait for its turn with the room in the path.
    static func inTurn(_ handler: @escaping Handler) -> Handler {
        { (request, api) async throws(APIError) in
            let room = ExactText(request.parameter("id"))
            await api.turns.take(room)
            defer { api.turns.give(room) }
            return try await handler(request, api)
        }
    }
}
