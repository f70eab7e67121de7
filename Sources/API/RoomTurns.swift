import Threads
import Transport
import Wire

/// Lets those who change a room do so one after another, each from what is stored to what its members are told. Otherwise
/// of two changes the one could be stored last and the other told last.
final class RoomTurns: Sendable {
    /// Those who wait for each room that somebody is changing. Requests that wait are bounded where they come in.
    private let waiting = Locked<[ExactText: [CheckedContinuation<Void, Never>]]>([:])

    /// Returns when the room is the caller's alone, until `give`.
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
    /// Has a handler wait for its turn with the room that the path names.
    static func inTurn(_ handler: @escaping Handler) -> Handler {
        { (request, api) async throws(APIError) in
            let room = ExactText(request.parameter("id"))
            await api.turns.take(room)
            defer { api.turns.give(room) }
            return try await handler(request, api)
        }
    }
}
