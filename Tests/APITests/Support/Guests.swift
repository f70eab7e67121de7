import Threads
import Transport
import Wire

@testable import API

/// A group that has nothing of REST's: other paths, other senders, another shape of failures, other limits and headers.
final class Guests: RouteGroup {
    /// A guest's name.
    typealias Sender = String
    typealias Context = GuestBook

    static let mount: Mount = ["/guests/*"]

    let routes: RouteTable<Guests>
    let rates = GroupRates(addressPerSecond: 2, sendersPerMinute: 60, phonePercent: 200)
    let document: GroupDocument?
    let headers = [("X-Guests", "yes")]
    let version = "v7"
    let book = GuestBook()

    init() {
        let rows = [
            Route<Guests>(
                .post, "/guests/register", "Takes a guest in.", access: .everybody,
                body: [Field("name", .text(2...20), required: true)], answer: .bare("Key"), status: 201,
                failures: [409],
                rate: RequestRate(perSecond: 1, atOnce: 4)
            ) { (request, book) async throws(APIError) in
                guard let key = book.add(request.body.text("name") ?? "") else {
                    throw APIError(409, "NAME_TAKEN", "There is a guest of this name.")
                }
                return .object("key", key, status: 201)
            },
            Route<Guests>(.get, "/guests/me", "Oneself.", answer: .bare("Guest")) {
                (request, _) async throws(APIError) in
                .object("name", request.sender ?? "")
            },
            Route<Guests>(
                .get, "/guests/back-room", "For those who are let in there.",
                access: .checked { (name, book) async throws(APIError) in
                    guard name.hasPrefix("vip") else { throw .forbidden("You are not let in.") }
                    return name.uppercased()
                }, answer: .bare("Guest"), deprecation: Deprecation(since: 1_700_000_000, endsAt: 1_800_000_000)
            ) { (request, _) async throws(APIError) in .object("name", request.sender ?? "") },
        ]
        routes = RouteTable(rows)
        document = OpenAPIDocument(
            title: "Guests", version: "1", text: "Those who come and go.",
            schemas: #"{"Failure":{},"Guest":{},"Key":{}}"#,
            security: ("key", #"{"type":"apiKey","in":"header","name":"X-Guest-Key"}"#)
        ).describe(rows, at: "/guests/openapi.json", APILimits())
    }

    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<String, APIError>) -> Void
    ) throws(APIError) {
        guard let key = head.headers.first(named: "X-Guest-Key") else { throw APIError(401, "NO_KEY", "Who are you?") }
        then(book.name(key).map { .success($0) } ?? .failure(APIError(401, "BAD_KEY", "You are unknown here.")))
    }

    func id(of name: String) -> String { name }

    func encode(_ error: APIError) -> APIReply {
        var reply = APIReply.object("errcode", "GUEST_" + error.code, status: error.status)
        reply.headers = error.headers
        return reply
    }
}

/// What the handlers of guests work with.
final class GuestBook: Sendable {
    private let names = Locked<[String: String]>([:])

    func add(_ name: String) -> String? {
        names.withLock { names in
            guard !names.values.contains(name) else { return nil }
            let key = "key-\(names.count)"
            names[key] = name
            return key
        }
    }

    func name(_ key: String) -> String? { names.withLock { $0[key] } }
}

extension APIReply {
    fileprivate static func object(_ name: String, _ value: String, status: Int = 200) -> APIReply {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member(name, value)
            json.endObject()
        }
        return APIReply(status: status, body: body)
    }
}
