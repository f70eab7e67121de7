import Accounts
import Relay
import Rooms
import Store
import Threads
import Transport
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

    /// Counts work of a person that is more than a request. Throws when it has to wait.
    func count(_ rate: RequestRate, of person: AccountHolder, at now: Int64) throws(APIError) {
        guard options.isLimited else { return }
        let milliseconds = Clock.milliseconds()
        let reading = group.rates.senders.count(ExactText(person.id), nowMilliseconds: milliseconds) {
            $0.take(rate, nowMilliseconds: milliseconds)
        }
        if let reading { try reading.check(group.headers(about: reading, now: now)) }
    }

    /// Tells the clients of a person what has changed, on all nodes.
    func tell(_ event: PersonalEvent) { rooms.tell(event) }

    /// Ends an account.
    func end(_ person: String, at now: Int64) async throws(APIError) {
        let rooms = rooms
        try await accounts { (accounts) async throws(AccountFault) in
            try await accounts.end(person, at: now, in: rooms)
        }
    }

    /// A part of all that the server has of the sender.
    func export(_ request: AppRequest<App>) async throws(APIError) -> APIReply {
        let (person, asked) = (try request.person().id, request.export)
        return .export(try await ask { $0.export(of: person, after: asked.cursor, files: asked.files, then: $1) })
    }
}

extension Route {
    /// The call of an application with which people get all that the server has of them.
    static func export<App>(_ pattern: PathPattern) -> Route where Group == AppGroup<App> {
        Route(
            .get, pattern, "All that the server has of the sender, in parts.", query: [Field.exportCursor],
            answer: .bare("Export")
        ) { (request, context) async throws(APIError) in try await context.export(request) }
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
