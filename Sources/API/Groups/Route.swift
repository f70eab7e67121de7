import Media
import Transport
import Wire

/// A route: its method, path, access, fields and handler.
struct Route<Group: RouteGroup>: Sendable {
    /// The senders that may use the route. The handler checks other conditions, such as membership of the room.
    enum Access: Sendable {
        case everybody
        /// Every sender that the group authenticates.
        case sender
        /// The senders that the check accepts. The check may add its findings to the sender.
        case checked(Check)
    }

    typealias Check = @Sendable (Group.Sender, Group.Context) async throws(APIError) -> Group.Sender
    typealias Handler = @Sendable (Request<Group>, Group.Context) async throws(APIError) -> APIReply

    let method: HTTPMethod
    let pattern: PathPattern
    let access: Access
    /// One line for the description.
    let summary: String
    /// The fields of the query.
    let query: [Field]
    let body: RouteBody
    /// The content of the answer: a schema of the description, or nil for an answer without a body.
    let answer: RouteAnswer?
    /// The status of success.
    let status: Int
    /// Failures of this route, besides those of every request.
    let failures: [Int]
    let takesIdempotencyKey: Bool
    /// When the answer has status 200 instead of `status`, in a sentence for the description; nil for never.
    let repeated: String?
    /// A limit of its own, besides those of the group: for each sender, or for each address if the route is open to
    /// everybody.
    let rate: RequestRate?
    /// Whether monitors ask it again and again: then it does not count against the group's limit of strangers.
    let isForMonitors: Bool
    /// Nil for a route that stays.
    let deprecation: Deprecation?
    /// Bytes of a JSON body; nil for the group's bound.
    let bodyBytesMax: Int?
    let handler: Handler

    init(
        _ method: HTTPMethod, _ pattern: PathPattern, _ summary: String, access: Access = Group.usualAccess,
        query: [Field] = [], body: RouteBody = .none, answer: RouteAnswer?, status: Int = 200, failures: [Int] = [],
        takesIdempotencyKey: Bool = false, repeated: String? = nil, rate: RequestRate? = nil,
        isForMonitors: Bool = false, deprecation: Deprecation? = nil, bodyBytesMax: Int? = nil,
        _ handler: @escaping Handler
    ) {
        self.bodyBytesMax = bodyBytesMax
        self.method = method
        self.pattern = pattern
        self.access = access
        self.summary = summary
        self.query = query
        self.body = body
        self.answer = answer
        self.status = status
        self.failures = failures
        self.takesIdempotencyKey = takesIdempotencyKey
        self.repeated =
            repeated ?? (takesIdempotencyKey ? "An earlier request with the same Idempotency-Key has done this." : nil)
        self.rate = rate
        self.isForMonitors = isForMonitors
        self.deprecation = deprecation
        self.handler = handler
    }

    var isOpen: Bool { if case .everybody = access { true } else { false } }

    /// The fields of a JSON body. The handler of any other one gets it unparsed, but it must be an object.
    func read(json bytes: [UInt8], _ limits: APILimits) throws(APIError) -> (FieldValues, object: [UInt8]) {
        if case .fields(let fields) = body { return (try FieldValues(bytes, fields, limits), []) }
        _ = try FieldValues(bytes, [], limits)
        return (FieldValues(), bytes)
    }

    /// Checks and handles a request, off the loop.
    func answer(_ request: Request<Group>, of group: Group, _ context: Group.Context) async -> APIReply {
        var request = request
        do throws(APIError) {
            // A route that takes a file has run this check before the body. The account may have changed, so the check runs again.
            if case .checked(let check) = access, let sender = request.sender {
                request.sender = try await check(sender, context)
            }
            return try await handler(request, context)
        } catch {
            return group.encode(error)
        }
    }
}

/// When a route began to be one that clients should not use any more, and when it goes.
struct Deprecation: Sendable {
    /// Seconds since 1970.
    let since: Int64
    /// Nil while that is open.
    var endsAt: Int64?

    /// `Deprecation` as in RFC 9745, and `Sunset` as in RFC 8594.
    var headers: [(String, String)] {
        let end = endsAt.map { HTTPDate(unixSeconds: Int($0)).text }
        return [("Deprecation", "@\(since)")] + (end.map { [("Sunset", String(decoding: $0, as: UTF8.self))] } ?? [])
    }
}

/// The body of a request.
enum RouteBody: Sendable, ExpressibleByArrayLiteral {
    case none
    /// JSON with these members, which are checked before the handler is called.
    case fields([Field])
    /// JSON of this schema of the description. The handler checks it.
    case object(String)
    /// A form with one file.
    case file(MediaKind)
    /// JSON with a chunk of a file in base64 as the member `chunk_data`, beside these. It is written to the disk while it
    /// arrives.
    case chunk([Field])

    init(arrayLiteral fields: Field...) {
        self = .fields(fields)
    }

    var isNone: Bool {
        if case .none = self { true } else { false }
    }
}

/// The content of an answer.
enum RouteAnswer: Sendable {
    /// Under `data`.
    case one(String)
    case list(of: String)
    /// A body of its own, not under `data`.
    case bare(String)
    /// Bytes of an image or of sound.
    case file
}

/// The paths that a route answers, like `/api/rooms/{id}`.
struct PathPattern: Sendable, ExpressibleByStringLiteral {
    enum Part: Sendable {
        case literal(String)
        case parameter(String)
    }

    let text: String
    let parts: [Part]

    init(stringLiteral text: String) {
        self.text = text
        parts = Self.segments(text).map {
            $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
        }
    }

    /// No pattern has more parts than this splits off.
    static func segments(_ path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", maxSplits: 31, omittingEmptySubsequences: false)
    }

    /// Literal parts come before parameters when both match.
    var literalCount: Int {
        parts.count { if case .literal = $0 { true } else { false } }
    }

    /// The parameters of a path, split and not decoded; nil when the path does not match.
    func match(_ segments: [Substring]) -> [String: String]? {
        guard segments.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(parts, segments) {
            switch part {
            case .literal(let name): guard segment == name else { return nil }
            case .parameter(let name):
                let bytes = Array(segment.utf8)
                guard !bytes.isEmpty, let value = PercentDecoding.decodeText(bytes.span, 0..<bytes.count) else {
                    return nil
                }
                parameters[name] = value
            }
        }
        return parameters
    }
}
