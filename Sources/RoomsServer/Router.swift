import Transport

/// Answers the requests that are not Socket.IO's: the first of its routes that knows a request does.
struct Router {
    /// Answers a request, now or later, or says false when it is none of its own.
    typealias Route = (HTTPExchange) -> Bool

    private let routes: [Route]

    init(_ routes: [Route]) {
        self.routes = routes
    }

    func answer(_ exchange: HTTPExchange) {
        for route in routes where route(exchange) { return }
        exchange.respond(404, text: "Not found\n")
    }
}
