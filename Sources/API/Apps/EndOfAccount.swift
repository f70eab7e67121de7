import Accounts
import Relay
import Store

extension Accounts {
    /// Ends an account: its data, its connections on all nodes and its places in rooms.
    func end(_ person: String, at now: Int64, in rooms: RoomCommands) async throws(AccountFault) {
        let left = try await remove(person, now: now)
        // The session of the request has ended with the account: the rest is done by the server itself.
        await Mandate.$current.withValue(nil) {
            await rooms.disconnect(ConnectionsOf(person))
            for room in left { await leave(room, person, in: rooms) }
            // If this call fails, the sweep removes the entries within an hour (`StoreLimits.journalSecondsMax`).
            try? await store.told { $0.forgetJoins(of: person, then: $1) }
        }
    }

    /// A person is no member of a room any more. The store says so already.
    private func leave(_ room: String, _ person: String, in rooms: RoomCommands) async {
        _ = await withCheckedContinuation { continuation in
            rooms.expel(person, from: room, reason: "The account was ended.") { continuation.resume(returning: $0) }
        }
        guard let record = try? await store.told({ $0.room(room, then: $1) }) else { return }
        _ = await withCheckedContinuation { continuation in
            rooms.tellRemoved(person, from: room, info: RoomShown.json(record)) { continuation.resume(returning: $0) }
        }
    }
}
