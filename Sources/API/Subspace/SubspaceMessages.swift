import Accounts
import Store
import Wire

/// Messages to people. Only their person reads and removes them.
enum SubspaceMessages {
    static let all: [SubspaceRoute] = [
        SubspaceRoute(
            .get, "/subspace/api/v1/users/{userId}/messages", "The sender's messages, the newest first.",
            query: Field.subspaceParts, answer: .bare("Messages"), failures: [404], list),
        SubspaceRoute(
            .get, "/subspace/api/v1/users/{userId}/messages/unread-count",
            "How many messages the sender has not read.", answer: .bare("Count"), failures: [404], unread),
        SubspaceRoute(
            .get, "/subspace/api/v1/messages/{messageId}", "One message to the sender.", answer: .bare("Message"),
            failures: [404], one),
        SubspaceRoute(
            .post, "/subspace/api/v1/messages", "Sends a person a message.",
            body: [
                Field("userId", .id, required: true),
                Field(
                    "content", .prose(charactersMax: contentCharactersMax), required: true,
                    wrong: "content must have 1 to \(contentCharactersMax) characters"),
                Field(
                    "kind", .choice(Message.Kind.allCases.map(\.rawValue)),
                    wrong: "kind must be info, warning, error or success"),
            ], answer: .bare("Message"), status: 201, failures: [404], send),
        SubspaceRoute(
            .patch, "/subspace/api/v1/messages/{messageId}/read", "Marks a message as read.",
            answer: .bare("Message"), failures: [404], read),
        SubspaceRoute(
            .delete, "/subspace/api/v1/messages/{messageId}", "Removes a message.", answer: nil, status: 204,
            failures: [404], remove),
    ]

    static let contentCharactersMax = 5_000
    private static let noMessage = APIError.subspace(404, "message not found")

    /// The person whose messages a request lists: the sender. To others they do not exist.
    private static func owner(_ request: SubspaceRequest) throws(APIError) -> String {
        let sender = try request.person()
        guard sender.id.isSameID(as: request.parameter("userId")) else { throw .subspace(404, "user not found") }
        return sender.id
    }

    @Sendable private static func list(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (owner, part) = (try owner(request), request.part)
        let messages = try await context.ask { $0.messages(to: owner, part, then: $1) }
        return .part(messages, part) { $0.message($1) }
    }

    @Sendable private static func unread(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let owner = try owner(request)
        let count = try await context.ask { $0.unreadMessageCount(of: owner, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("count", count)
            json.endObject()
        }
    }

    @Sendable private static func one(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let sender = try request.person()
        let message = try await context.ask { $0.message(request.parameter("messageId"), then: $1) }
        guard let message, message.person.isSameID(as: sender.id) else { throw noMessage }
        return .bare { $0.message(message) }
    }

    @Sendable private static func send(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let sender = try request.person()
        let kind = request.body.text("kind").flatMap { Message.Kind(rawValue: $0) } ?? .info
        let message = Message(
            id: Accounts.newID(), person: request.body.text("userId") ?? "", sender: sender.id, kind: kind,
            content: request.body.text("content") ?? "", createdAt: request.now)
        let stored = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.send(message)
        }
        return .bare(status: 201) { $0.message(stored) }
    }

    @Sendable private static func read(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (owner, id) = (try request.person().id, request.parameter("messageId"))
        let message = try await context.ask { $0.readMessage(id, of: owner, at: request.now, then: $1) }
        guard let message else { throw noMessage }
        return .bare { $0.message(message) }
    }

    @Sendable private static func remove(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (owner, id) = (try request.person().id, request.parameter("messageId"))
        guard try await context.ask({ $0.removeMessage(id, of: owner, then: $1) }) else { throw noMessage }
        return .noContent
    }
}

extension JSONWriter {
    mutating func message(_ message: Message) {
        beginObject()
        member("id", message.id)
        member("userId", message.person)
        // Others can write what looks like a warning of the server.
        key("senderId")
        if let sender = message.sender { string(sender) } else { null() }
        member("content", message.content)
        member("kind", message.kind.rawValue)
        member("isRead", message.readAt != nil)
        member("createdAt", UTCTime.text(message.createdAt))
        member("updatedAt", UTCTime.text(message.updatedAt))
        endObject()
    }
}
