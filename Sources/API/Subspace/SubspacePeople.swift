import Accounts
import Relay
import Store
import Wire

/// The list of people, and changes of it. People change themselves; administrators change everybody.
enum SubspacePeople {
    static let all: [SubspaceRoute] = [
        SubspaceRoute(
            .get, "/subspace/api/v1/users", "Everybody, in the order of their arrival.", query: Field.subspaceParts,
            answer: .bare("Users"), list),
        SubspaceRoute(
            .get, "/subspace/api/v1/users/{userId}", "One person.", answer: .bare("User"), failures: [404], one),
        SubspaceRoute(
            .post, "/subspace/api/v1/users", "Adds a person who cannot sign in yet; for administrators.",
            body: [SubspaceSignIn.name, SubspaceSignIn.email], answer: .bare("User"), status: 201, add),
        SubspaceRoute(
            .put, "/subspace/api/v1/users/{userId}", "Changes the sender; administrators change everybody.",
            body: [
                Field("name", .text(1...255)),
                Field("email", .email, wrong: "invalid email format"),
            ], answer: .bare("User"), failures: [404], change),
        SubspaceRoute(
            .delete, "/subspace/api/v1/users/{userId}",
            "Ends the sender's account, with all that is theirs; administrators end every account.", answer: nil,
            status: 204, failures: [404], remove),
    ]

    @Sendable private static func list(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (sender, part) = (try request.person(), request.part)
        let people = try await context.ask { $0.people(part, then: $1) }
        return .part(people, part) { $0.person($1, sender.sight(of: $1)) }
    }

    @Sendable private static func one(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let sender = try request.person()
        let found = try await context.ask { $0.person(request.parameter("userId"), then: $1) }
        guard let found else { throw .subspace(404, "user not found") }
        return .bare { $0.person(found, sender.sight(of: found)) }
    }

    @Sendable private static func add(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        guard try request.person().role == .admin else { throw .notAdmin }
        let new = NewPerson(
            id: Accounts.newID(), name: request.body.text("name") ?? "", email: request.body.text("email") ?? "",
            passwordHash: nil, at: request.now)
        let person = try await context.ask { $0.addPerson(new, then: $1) }
        return .bare(status: 201) { $0.person(person, .near) }
    }

    /// The person that a request changes: the sender, or any person if the sender is an administrator.
    private static func changed(_ request: SubspaceRequest) throws(APIError) -> String {
        let (sender, id) = (try request.person(), request.parameter("userId"))
        guard sender.id.isSameID(as: id) || sender.role == .admin else { throw .notAdmin }
        return id
    }

    @Sendable private static func change(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try changed(request)
        let (name, email) = (request.body.text("name"), request.body.text("email"))
        let person = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.change(id, name: name, email: email, now: request.now)
        }
        return .bare { $0.person(person, .near) }
    }

    @Sendable private static func remove(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try changed(request)
        try await context.end(id, at: request.now)
        return .noContent
    }
}

extension AccountHolder {
    /// How much of another person this one may see.
    fileprivate func sight(of other: AccountHolder) -> Sight {
        role == .admin || id.isSameID(as: other.id) ? .near : .far
    }
}

extension JSONWriter {
    /// A person. For others the address is present and empty, because clients expect the member.
    mutating func person(_ person: AccountHolder, _ sight: Sight) {
        beginObject()
        member("id", person.id)
        member("name", person.name)
        member("email", sight == .near ? person.email : "")
        member("createdAt", UTCTime.text(person.createdAt))
        member("updatedAt", UTCTime.text(person.updatedAt))
        endObject()
    }
}

extension APIReply {
    /// A part of a list, with its length and place.
    static func part<Item>(
        _ part: ListPart<Item>, _ request: PartRequest, _ write: (inout JSONWriter, Item) -> Void
    ) -> APIReply {
        .bare { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for item in part.items { write(&json, item) }
            json.endArray()
            json.member("total", part.total)
            json.member("limit", request.limit)
            json.member("offset", request.offset)
            json.endObject()
        }
    }
}
