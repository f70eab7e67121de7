import Wire

/// The rows of a group. It finds the row of a request.
struct RouteTable<Group: RouteGroup>: Sendable {
    enum Match: Sendable {
        case route(Route<Group>, [String: String])
        /// The path has routes, but only with these methods.
        case otherMethods([HTTPMethod])
        case none
    }

    private let routes: [Route<Group>]

    /// Patterns with more literal parts come first: `/api/users/search` is not the user `search`.
    init(_ routes: [Route<Group>]) {
        self.routes = routes.sorted { $0.pattern.literalCount > $1.pattern.literalCount }
    }

    /// Of the patterns that match a path, only the most literal one counts: a method of `/api/users/{id}` is not one of
    /// the search for users.
    func find(_ method: HTTPMethod, _ path: String) -> Match {
        let segments = PathPattern.segments(path)
        var methods: [HTTPMethod] = []
        var pattern: String?
        for route in routes {
            guard pattern == nil || route.pattern.text == pattern,
                let parameters = route.pattern.match(segments)
            else { continue }
            pattern = route.pattern.text
            if route.method == method || (method == .head && route.method == .get) {
                return .route(route, parameters)
            }
            methods.append(route.method)
        }
        return methods.isEmpty ? .none : .otherMethods(methods)
    }
}
