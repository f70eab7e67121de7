import Testing

@testable import Sessions

@Suite struct OriginTests {
    private let page = ("Origin", "https://page.example")
    private let other = ("Origin", "https://other.example")

    private func server() throws -> TestServer {
        let listed = Set([WebOrigin("https://page.example")].compactMap(\.self))
        return try TestServer { $0.origins = .listed(listed) }
    }

    @Test func aPageThatMayConnectCanReadEveryAnswer() throws {
        let server = try server()
        let client = try PollingClient(server, headers: [page])
        var answers = [try client.polls.request("GET", server.target("polling"), [page])]
        answers.append(try client.posts.request("POST", client.target, [page], body: Array("4a".utf8)))
        answers.append(try client.polls.request("GET", client.target, [page]))
        #expect(answers.map(\.status) == [200, 200, 200])
        answers.append(try client.polls.request("GET", server.target("polling") + "&sid=x", [page]))
        #expect(answers[3].status == 400)
        for answer in answers {
            #expect(answer["Access-Control-Allow-Origin"] == "https://page.example")
            #expect(answer["Access-Control-Allow-Credentials"] == "true")
            #expect(answer["Vary"] == "Origin")
        }
    }

    @Test func anotherPageIsRefused() throws {
        let server = try server()
        let answer = try server.connect().request("GET", server.target("polling"), [other])
        #expect(answer.status == 403)
        #expect(answer.text == #"{"code":4,"message":"Forbidden"}"#)
        #expect(answer["Access-Control-Allow-Origin"] == nil)
        #expect(answer["Vary"] == "Origin")
        let client = try PollingClient(server)
        #expect(try server.connect().request("POST", client.target, [other], body: [0x34]).status == 403)
        #expect(try server.connect().request("GET", client.target, [other]).status == 403)
        try client.post("4unharmed")
        #expect(try client.poll() == ["4unharmed"])
    }

    @Test func theOriginOfAWebSocketIsLookedAtToo() throws {
        let server = try server()
        let refusal = #expect(throws: TestRefusal.self) { _ = try server.webSocket([other]) }
        #expect(refusal?.response.status == 403)
        _ = try server.webSocket([page])
        let client = try PollingClient(server)
        let upgrade = server.target("websocket", sid: client.sid)
        #expect(throws: TestRefusal.self) { _ = try TestWebSocket(server.connect(), upgrade, [other]) }
        _ = try TestWebSocket(server.connect(), upgrade, [page])
    }

    @Test func whatDoesNotComeFromAPageIsServedAndCachesAreTold() throws {
        let server = try server()
        let answer = try server.connect().request("GET", server.target("polling"))
        #expect(answer.status == 200)
        #expect(answer["Access-Control-Allow-Origin"] == nil)
        #expect(answer["Vary"] == "Origin")
    }

    @Test func aPreflightIsAnsweredForPagesThatMayConnect() throws {
        let server = try server()
        let connection = try server.connect()
        let asked = [
            page, ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "x-mine, x-b"),
        ]
        let answer = try connection.request("OPTIONS", server.target("polling"), asked)
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer["Access-Control-Allow-Origin"] == "https://page.example")
        #expect(answer["Access-Control-Allow-Credentials"] == "true")
        #expect(answer["Access-Control-Allow-Methods"] == "GET, POST")
        // A client can be told to send headers of its own.
        #expect(answer["Access-Control-Allow-Headers"] == "x-mine, x-b")
        #expect(answer["Vary"]?.contains("Origin") == true)
        #expect(answer["Vary"]?.contains("Access-Control-Request-Headers") == true)
        let plain = try connection.request("OPTIONS", server.target("polling"), [page])
        #expect(plain["Access-Control-Allow-Headers"] == "Authorization, Content-Type")
        let refused = try connection.request("OPTIONS", server.target("polling"), [other])
        #expect(refused.status == 403)
        #expect(refused["Access-Control-Allow-Origin"] == nil)
        #expect(refused["Access-Control-Allow-Methods"] == nil)
        #expect(server.sessionCount == 0)
    }

    @Test func anyPageIsNamedInItsAnswer() throws {
        let server = try TestServer()
        let answer = try server.connect().request("GET", server.target("polling"), [other])
        #expect(answer["Access-Control-Allow-Origin"] == "https://other.example")
        #expect(answer["Vary"] == "Origin")
    }

    @Test(arguments: [
        ("https://a.example", "a.example", true), ("http://a.example:8080", "A.example:8080", true),
        ("https://a.example", "b.example", false), ("https://a.example:444", "a.example", false),
        ("null", "a.example", false), ("https://", "a.example", false), ("a.example", "a.example", false),
    ])
    func pagesOfTheSameHostAreToldByTheirOrigin(_ origin: String, _ host: String, _ isAllowed: Bool) throws {
        let server = try TestServer { $0.origins = .sameOrigin }
        let answer = try server.connect().request(
            "GET", server.target("polling"), [("Host", host), ("Origin", origin)])
        #expect(answer.status == (isAllowed ? 200 : 403))
    }

    /// Whether the origin is the server's own over plain HTTP, perhaps from a proxy that ended TLS, and over TLS.
    @Test(arguments: [
        // Starscream names the port in `Host` alone, browsers name a default port nowhere.
        ("wss://a.example", "a.example:443", true, true), ("ws://a.example", "a.example:80", true, true),
        ("https://a.example", "a.example", true, true), ("http://a.example", "a.example", true, false),
        ("https://a.example:443", "a.example", true, true), ("http://a.example:80", "a.example", true, false),
        ("wss://A.Example", "a.eXample:443", true, true), ("https://a.example", "a.example:443", true, true),
        ("https://a.example:8443", "a.example:8443", true, true),
        ("https://a.example", "a.example:80", false, false), ("http://a.example", "a.example:443", false, false),
        ("https://a.example:80", "a.example", false, false), ("https://a.example:8443", "a.example", false, false),
        ("https://a.example", "a.example:8443", false, false),
        // Addresses, in whatever form.
        ("wss://[::1]", "[::1]:443", true, true), ("https://[0:0::1]:443", "[::1]", true, true),
        ("https://[::1]", "[::2]", false, false), ("https://::1", "[::1]", false, false),
        ("https://[::1", "[::1", false, false), ("https://[fe80::1%1]", "[fe80::1%1]", false, false),
        ("https://192.0.2.1", "192.0.2.1:443", true, true), ("https://[192.0.2.1]", "[192.0.2.1]", false, false),
        // What is no origin of a page.
        ("null", "null", false, false), ("a.example", "a.example", false, false), ("", "a.example", false, false),
        ("://a.example", "a.example", false, false), ("https:a.example", "a.example", false, false),
        ("https://", "a.example", false, false), ("https://:443", "a.example", false, false),
        ("https://a.example/", "a.example", false, false), ("https://a.example:", "a.example", false, false),
        ("https://u@a.example", "a.example", false, false), ("https://u:p@a.example", "u:p@a.example", false, false),
        ("https://a.example:443x", "a.example", false, false), ("https://a.example:+443", "a.example", false, false),
        ("https://a.example:65979", "a.example", false, false), ("https://a.example:00443", "a.example", true, true),
        ("https://a.example:000443", "a.example", false, false), ("https://a.example ", "a.example", false, false),
        ("https://a.example https://b.example", "a.example", false, false), ("file://", "", false, false),
        ("app://a.example", "a.example", false, false), ("https://a.example?", "a.example", false, false),
        ("1http://a.example", "a.example", false, false), ("https://a.example#", "a.example", false, false),
    ])
    func defaultPortsAreTheSameNamedOrNot(_ origin: String, _ host: String, _ plain: Bool, _ overTLS: Bool) {
        #expect(OriginPolicy.sameOrigin.allows(origin, host: host, isSecure: false) == plain)
        #expect(OriginPolicy.sameOrigin.allows(origin, host: host, isSecure: true) == overTLS)
        #expect(OriginPolicy.any.allows(origin, host: host, isSecure: false))
    }

    @Test(arguments: [
        ("https://page.example", true), ("https://page.example:443", true), ("wss://PAGE.example", true),
        ("http://page.example", false), ("https://page.example:444", false), ("https://page.example.", false),
        ("app://page", true), ("app://page:443", false), ("null", false), ("https://page.example/", false),
        // A program that connects to this server, but not a page of it.
        ("wss://own.example", true), ("ws://own.example:443", true), ("https://own.example", false),
        ("wss://own.example:8443", false),
    ])
    func listedOriginsAreComparedAsOrigins(_ origin: String, _ isAllowed: Bool) throws {
        let listed = ["https://page.example:443", "app://page"].compactMap(WebOrigin.init)
        let policy = OriginPolicy.listed(Set(listed))
        #expect(listed.count == 2)
        #expect(policy.allows(origin, host: "own.example:443", isSecure: false) == isAllowed)
        #expect(policy.allows(nil, host: "own.example:443", isSecure: false))
    }
}
