import Accounts
import Store
import Wire

extension AccountRoutes {
    var ending: APIRoute {
        APIRoute(
            .post, "/api/auth/end-account", "Ends the sender's account, with all that is theirs.", access: .token,
            body: [
                Field(
                    "password", .secret,
                    "The sender's password. A user without one must have signed in within ten minutes.")
            ], answer: nil, status: 204, rate: rate, end)
    }

    @Sendable private func end(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let sender = try await accounts.holder(request)
        try await asked { () async throws(AccountFault) in
            try await accounts.prove(
                sender, session: request.session, password: request.body.text("password"), request.roomsClient)
            try await accounts.end(sender.id, at: request.now, in: api.rooms)
        }
        return .noContent
    }
}
