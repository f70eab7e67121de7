import Wire

/// Finds the route of a request.
struct Router: Sendable {
    enum Match: Sendable {
        case route(Route, [String: String])
        /// There are routes for this path, but with these methods.
        case otherMethods([HTTPMethod])
        case none
    }

    let routes: [Route]

    /// More literal parts first: `/api/users/search` is not the user `search`.
    init(_ routes: [Route]) {
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
