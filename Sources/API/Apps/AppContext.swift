import Accounts
import Relay
import Store
import Wire

/// The parts of the server that the handlers of an application use.
struct AppContext<App: Application>: Sendable {
    let group: AppGroup<App>
    let accounts: Accounts
    /// The rooms in use, which people leave when their account ends.
    let rooms: RoomCommands
    let options: AppOptions

    /// Asks the store, with its faults in the words of the application.
    func ask<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async throws(APIError) -> Value {
        do throws(AccountFault) {
            return try await accounts.store.told(question)
        } catch {
            throw App.error(error)
        }
    }

    /// Asks the accounts, with their faults in the words of the application.
    func accounts<Value: Sendable>(
        _ call: (Accounts) async throws(AccountFault) -> Value
    ) async throws(APIError) -> Value {
        do throws(AccountFault) {
            return try await call(accounts)
        } catch {
            throw App.error(error)
        }
    }

    /// Tells the clients of a person what has changed, on all nodes.
    func tell(_ event: PersonalEvent) { rooms.tell(event) }

    /// Ends an account: its data, its connections on all nodes and its places in rooms.
    func end(_ person: String, at now: Int64) async throws(APIError) {
        let left = try await accounts { (accounts) async throws(AccountFault) in
            try await accounts.remove(person, now: now)
        }
        await rooms.disconnect(ConnectionsOf(person))
        for room in left { await leave(room, person) }
    }

    /// A person is no member of a room any more. The store says so already.
    private func leave(_ room: String, _ person: String) async {
        _ = await withCheckedContinuation { continuation in
            rooms.expel(person, from: room, reason: "The account was ended.") { continuation.resume(returning: $0) }
        }
        guard let record = try? await ask({ $0.room(room, then: $1) }) else { return }
        _ = await withCheckedContinuation { continuation in
            rooms.tellRemoved(person, from: room, info: RoomShown.json(record)) { continuation.resume(returning: $0) }
        }
    }
}

extension Request {
    /// The client, for the account.
    func client<App>() -> AccountClient where Group == AppGroup<App> {
        AccountClient(App.account, address: address, agent: agent, now: now)
    }

    /// The sender. Only a route that is open to everybody has none.
    func person<App>() throws(APIError) -> AccountHolder where Group == AppGroup<App> {
        guard let sender else { throw App.tokenMissing }
        return sender.person
    }
}

extension APIReply {
    /// A failure as a sentence alone. The guides of the applications know neither 409 nor 422.
    static func words(of error: APIError, as member: String) -> APIReply {
        var reply = APIReply(status: [409, 422].contains(error.status) ? 400 : error.status, headers: error.headers)
        JSONWriter.write(into: &reply.body) { json in
            json.beginObject()
            json.member(member, error.message)
            json.endObject()
        }
        return reply
    }

    /// A body of its own, not under `data`.
    static func bare(status: Int = 200, _ write: (inout JSONWriter) -> Void) -> APIReply {
        var body: [UInt8] = []
        JSONWriter.write(into: &body, write)
        return APIReply(status: status, body: body)
    }
}
