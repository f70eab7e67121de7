/// Messages to people.
package protocol Inbox: Sendable {
    /// Throws `notFound("user")`. Past `StoreLimits.messagesMax` from people to a person, or `messagesOfSenderMax` from one of
    /// them, the oldest is removed. Messages of the server count apart, against `messagesOfServerMax`.
    func addMessage(_ message: Message, then answer: @escaping Answer<Message>)

    func message(_ id: String, then answer: @escaping Answer<Message?>)
    /// The newest first, also of messages with the same time.
    func messages(to person: String, _ part: PartRequest, then answer: @escaping Answer<ListPart<Message>>)
    func unreadMessageCount(of person: String, then answer: @escaping Answer<Int>)

    /// Answers the message; nil when the person has no such message.
    func readMessage(_ id: String, of person: String, at now: Int64, then answer: @escaping Answer<Message?>)
    /// Answers whether the person had the message.
    func removeMessage(_ id: String, of person: String, then answer: @escaping Answer<Bool>)
}

package struct Message: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case info, warning, error, success
    }

    package let id: String
    package let person: String
    /// The person who sent it; nil for the server.
    package let sender: String?
    package let kind: Kind
    package let content: String
    package let readAt: Int64?
    package let createdAt: Int64

    package init(
        id: String, person: String, sender: String?, kind: Kind, content: String, readAt: Int64? = nil,
        createdAt: Int64
    ) {
        self.id = id
        self.person = person
        self.sender = sender
        self.kind = kind
        self.content = content
        self.readAt = readAt
        self.createdAt = createdAt
    }

    package var updatedAt: Int64 { readAt ?? createdAt }
}
