import Store
import Transport
import Wire

/// Other users.
enum UserRoutes {
    static func all(_ limits: APILimits, searches: RequestRate) -> [APIRoute] {
        [
            APIRoute(
                .get, "/api/users/search",
                "Users by the beginning of their username, without the sender and without e-mail addresses.",
                query: [Field("username", .text(1...30), required: true)]
                    + Field.paging(most: limits.searchItemsMax, usual: limits.searchItemsMax),
                answer: .list(of: "User"), rate: searches, search),
            APIRoute(
                .get, "/api/users/without-rooms", "Users who share no active room with the sender.",
                query: Field.paging(most: limits.pageItemsMax, usual: limits.pageItems), answer: .list(of: "User"),
                rate: searches, withoutRooms),
            APIRoute(
                .get, "/api/users/{id}", "One user; with the e-mail address if the sender shares a room.",
                answer: .one("User"),
                failures: [404], user),
        ]
    }

    @Sendable private static func search(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let prefix = request.query.text("username") ?? ""
        let page = request.page(usual: api.limits.searchItemsMax)
        let found = try await api.ask {
            $0.searchAccounts(usernamePrefix: prefix, excluding: request.subject, page, then: $1)
        }
        return .page(found) { $0.user($1, .far) }
    }

    @Sendable private static func withoutRooms(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let page = request.page(usual: api.limits.pageItems)
        let found = try await api.ask { $0.accountsWithoutRooms(with: request.subject, page, then: $1) }
        return .page(found) { $0.user($1, .far) }
    }

    @Sendable private static func user(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let id = request.parameter("id")
        let account = try await api.ask { $0.account(id, then: $1) }
        guard let account, account.profile != nil else { throw .notFound("user") }
        var isNear = account.id.isSameID(as: request.subject)
        if !isNear { isNear = try await api.ask { $0.shareRoom(request.subject, account.id, then: $1) } }
        return .data { [isNear] in $0.user(account, isNear ? .near : .far) }
    }
}

extension Request {
    /// The requested part of a list.
    func page(usual: Int) -> PageRequest {
        PageRequest(limit: query.integer("limit").map(Int.init) ?? usual, cursor: query.text("cursor"))
    }
}
