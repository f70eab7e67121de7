import Media
import Wire

/// One thing that can be asked for: how, by whom, with what, and who answers it.
struct Route: Sendable {
    /// Who may ask. What else is needed, such as being a member of the room, the handler looks at.
    enum Access: Sendable {
        case everybody
        /// Whoever has a good token.
        case token
        /// Whoever has also told who they are.
        case profile
        /// The same; where everybody is let in, whoever has a token.
        case profileUnlessOpen

        func needsProfile(isOpen: Bool) -> Bool {
            switch self {
            case .everybody, .token: false
            case .profile: true
            case .profileUnlessOpen: !isOpen
            }
        }
    }

    typealias Handler = @Sendable (APIRequest, APIContext) async throws(APIError) -> APIReply

    let method: HTTPMethod
    let pattern: PathPattern
    let access: Access
    /// One line for the description of the interface.
    let summary: String
    /// The fields that are taken from the query.
    let query: [Field]
    let body: Body
    /// What the answer holds: a schema of the description, or nil for an answer without a body.
    let answer: Schema?
    /// The status of success.
    let status: Int
    /// Failures that it may answer with, besides those that every request may.
    let failures: [Int]
    let takesIdempotencyKey: Bool
    /// A limit of its own, besides that of all requests.
    let isSearch: Bool
    let handler: Handler

    init(
        _ method: HTTPMethod, _ pattern: PathPattern, _ summary: String, access: Access = .profile,
        query: [Field] = [], body: Body = .none, answer: Schema?, status: Int = 200, failures: [Int] = [],
        takesIdempotencyKey: Bool = false, isSearch: Bool = false, _ handler: @escaping Handler
    ) {
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
        self.isSearch = isSearch
        self.handler = handler
    }

    /// What a request's body is.
    enum Body: Sendable, ExpressibleByArrayLiteral {
        case none
        /// JSON with these members, checked before the handler is asked.
        case fields([Field])
        /// JSON of this schema of the description: whoever takes it checks it.
        case object(String)
        /// A form with one file.
        case file(MediaKind)

        init(arrayLiteral fields: Field...) {
            self = .fields(fields)
        }

        var isNone: Bool {
            if case .none = self { true } else { false }
        }
    }

    /// What an answer's `data` is.
    enum Schema: Sendable {
        case one(String)
        case list(of: String)
        /// A body of its own, not under `data`.
        case bare(String)
        /// Bytes of an image or of sound.
        case file
    }
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

    static func segments(_ path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Literal parts come before parameters where both would do.
    var literalCount: Int {
        parts.count { if case .literal = $0 { true } else { false } }
    }

    /// The parameters of a path, split but not decoded; nil when it is not one of these.
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
