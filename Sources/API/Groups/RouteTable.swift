import Wire

/// The rows of a group, and which of them a request is for.
struct RouteTable<Group: RouteGroup>: Sendable {
    enum Match: Sendable {
        case route(Route<Group>, [String: String])
        /// There are routes for this path, but with these methods.
        case otherMethods([HTTPMethod])
        case none
    }

    private let routes: [Route<Group>]

    /// More literal parts first: `/api/users/search` is not the user `search`.
    init(_ routes: [Route<Group>]) {
        self.routes = routes.sorted { $0.pattern.literalCount > $1.pattern.literalCount }
    }

    /// Of the patterns that a path fits the most literal one counts alone: what may be done to some user may not be done
    /// to the search for users.
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
