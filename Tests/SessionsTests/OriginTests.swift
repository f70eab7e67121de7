import Testing

@testable import Sessions

@Suite struct OriginTests {
    private let page = ("Origin", "https://page.example")
    private let other = ("Origin", "https://other.example")

    private func server() throws -> TestServer {
        try TestServer { $0.origins = .listed(["https://page.example"]) }
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
}
