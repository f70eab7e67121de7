import Accounts
import Identity
import Store
import Wire

/// Several calls of the sender in one. The guide of the applications has a list of requests, and says neither where it goes nor
/// what a request has.
enum InterspaceBatch {
    private static let base = "/interspace/api/v1"

    static let all: [InterspaceRoute] = [
        InterspaceRoute(
            .post, "/interspace/api/v1/batch",
            "Up to 20 calls of the sender, one after another. Each is counted and answered by itself.",
            body: [Field("requests", .json(schema: "APIRequests"), required: true)], answer: .bare("Batch"), batch)
    ]

    @Sendable private static func batch(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (session, now) = (request.sender?.session.id ?? "", request.now)
        let batch = Batch(
            group: context.group, context: context, outer: request, base: base, prefix: Interspace.prefix,
            path: base + "/batch"
        ) { () async throws(APIError) in
            let open = try await context.ask { $0.session(session, at: now, then: $1) }
            guard open != nil else { throw Interspace.error(.token(TokenError(.ended))) }
        }
        return try await batch.run(request.body.json("requests") ?? [])
    }
}
