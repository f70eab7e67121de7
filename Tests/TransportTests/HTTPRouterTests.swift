import Testing

@testable import Transport

@Suite struct HTTPRouterTests {
    /// Answers with its name.
    private final class Named: HTTPService {
        private let name: String

        init(_ name: String) {
            self.name = name
        }

        func handle(_ exchange: HTTPExchange) {
            exchange.respond(200, text: name)
        }
    }

    private static func router() -> HTTPRouter {
        let router = HTTPRouter()
        router.mount(Named("all"), at: ["/a/*", "/a"])
        router.mount(Named("deep"), at: ["/a/b/*"])
        router.mount(Named("exact"), at: ["/a/b/c", "/"])
        router.mount(Named("second"), at: ["/a/b/c", "/a/*"])
        router.mount(Named("own"), at: ["/own"], countsRequests: true)
        return router
    }

    @Test(arguments: [
        ("/", "exact"), ("/a", "all"), ("/a/", "all"), ("/a/x", "all"), ("/a/b", "all"), ("/a/b/", "deep"),
        ("/a/b/c/d", "deep"), ("/a/b/c", "exact"), ("/a/b/c?x=/own", "exact"), ("/own", "own"),
        ("/ab", "Not found\n"), ("/own/", "Not found\n"), ("/A", "Not found\n"), ("//", "Not found\n"),
    ])
    func thePathAloneComesFirstThenTheLongestPrefixThenTheOneMountedFirst(path: String, answer: String) throws {
        let server = try TestServer { exchange, _ in Self.router().handle(exchange) }
        #expect(try server.connect().get(path).text == answer)
    }

    @Test func theRouterCountsWhatItsServicesDoNot() throws {
        let server = try TestServer { exchange, shard in
            shard.requestAdmission = { _, _ in .refused(waitMilliseconds: 1_500) }
            Self.router().handle(exchange)
        }
        for path in ["/", "/a/b", "/nowhere"] {
            let answer = try server.connect().get(path)
            #expect(answer.status == 429 && answer.headers["retry-after"] == "2")
        }
        #expect(try server.connect().get("/own").text == "own")
    }

    @Test func aKeyIsForgottenThoughNoRequestComes() {
        let (meters, rate) = (RequestMeters<Int>(), RequestRate(perSecond: 2))
        for key in 0..<100 { _ = meters.count(key, nowMilliseconds: 1_000) { $0.take(rate, nowMilliseconds: 1_000) } }
        // The first turn makes them old: requests of just before it still count.
        for (now, count): (Int64, Int) in [(60_999, 100), (61_000, 100), (120_999, 100), (121_000, 0)] {
            #expect(!meters.removeUnused(now: now) && meters.keyCount == count, "\(now)")
        }
    }

    @Test func oneKeysLimitsAreApartAndCountedTogether() {
        let (meters, wide, narrow) = (RequestMeters<Int>(), RequestRate(perSecond: 5), RequestRate(perSecond: 2))
        func waits(_ key: Int) -> [Int] {
            meters.count(key, nowMilliseconds: 1_000) { paces in
                [wide, narrow].compactMap { paces.take($0, nowMilliseconds: 1_000)?.waitMilliseconds }
            }
        }
        #expect(waits(1) == [0, 0] && waits(1) == [0, 0] && waits(1) == [0, 500] && waits(2) == [0, 0])
    }
}
