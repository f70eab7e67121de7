import Foundation
import Identity
import Relay
import Sessions
import Store
import Testing
import Transport

@testable import API

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Two groups of routes on one router, over HTTP: REST, and one that shares nothing with it.
@Suite(.timeLimit(.minutes(1))) struct GroupTests {
    @Test func aRouteThatIsOpenToEverybodyGetsItsBody() async throws {
        try await withServer { ask in
            let key = try await ask("POST", "/guests/register", body: #"{"name":"ann"}"#)
            #expect(key.status == 201 && key.text == #"{"key":"key-0"}"# && key["Content-Type"] == "application/json")
            // Its fields are checked as those of any other.
            let missing = try await ask("POST", "/guests/register", body: "{}")
            #expect(missing.status == 422 && missing.text == #"{"errcode":"GUEST_VALIDATION_ERROR"}"#)
            #expect(try await ask("POST", "/guests/register", body: "[").status == 400)
        }
    }

    @Test func aGroupHasItsOwnAuthenticator() async throws {
        try await withServer { ask in
            let nobody = try await ask("GET", "/guests/me")
            #expect(nobody.status == 401 && nobody.text == #"{"errcode":"GUEST_NO_KEY"}"#)
            let stranger = try await ask("GET", "/guests/me", ["X-Guest-Key": "key-9"])
            #expect(stranger.status == 401 && stranger.text == #"{"errcode":"GUEST_BAD_KEY"}"#)
            _ = try await ask("POST", "/guests/register", body: #"{"name":"vip"}"#)
            #expect(try await ask("GET", "/guests/me", ["X-Guest-Key": "key-0"]).text == #"{"name":"vip"}"#)
            // A check may refuse, and may add to what is known of the sender.
            #expect(try await ask("GET", "/guests/back-room", ["X-Guest-Key": "key-0"]).text == #"{"name":"VIP"}"#)
            _ = try await ask("POST", "/guests/register", body: #"{"name":"ben"}"#)
            let refusal = try await ask("GET", "/guests/back-room", ["X-Guest-Key": "key-1"])
            #expect(refusal.status == 403 && refusal.text == #"{"errcode":"GUEST_FORBIDDEN"}"#)
        }
    }

    @Test func aRouteThatIsGoingSaysSo() async throws {
        try await withServer { ask in
            _ = try await ask("POST", "/guests/register", body: #"{"name":"vip"}"#)
            // Also with a refusal.
            for key in ["key-0", "key-9"] {
                let answer = try await ask("GET", "/guests/back-room", ["X-Guest-Key": key])
                #expect(answer["Deprecation"] == "@1700000000" && answer["Sunset"] == "Fri, 15 Jan 2027 08:00:00 GMT")
            }
            #expect(try await ask("GET", "/guests/me", ["X-Guest-Key": "key-0"])["Deprecation"] == nil)
            let document = try #require(try await ask("GET", "/guests/openapi.json").json as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            #expect(paths["/guests/back-room"]?["get"]?["deprecated"] as? Bool == true)
            #expect(paths["/guests/me"]?["get"]?["deprecated"] == nil)
        }
    }

    @Test func eachGroupAnswersInItsOwnShapeAndWithItsOwnHeaders() async throws {
        try await withServer { ask in
            let guest = try await ask("GET", "/guests/nowhere")
            #expect(guest.status == 404 && guest.text == #"{"errcode":"GUEST_NOT_FOUND"}"#)
            #expect(guest["X-Guests"] == "yes" && guest["X-Content-Type-Options"] == nil)
            let other = try await ask("DELETE", "/guests/me")
            #expect(other.status == 405 && other["Allow"] == "GET, HEAD, OPTIONS")

            let rest = try await ask("GET", "/api/nowhere")
            #expect(rest.text == #"{"error":"There is nothing at this path.","code":"NOT_FOUND"}"#)
            #expect(rest["X-Guests"] == nil && rest["X-Content-Type-Options"] == "nosniff")
            // The route, and no group, decides what caches may keep.
            #expect(guest["Cache-Control"] == "no-store" && rest["Cache-Control"] == "no-store")
            // Above them is the router.
            let neither = try await ask("GET", "/guest")
            #expect(neither.status == 404 && neither.text == "Not found\n" && neither["X-Guests"] == nil)
        }
    }

    @Test func eachGroupHasItsVersionAndSaysWhatItHasSent() async throws {
        try await withServer { ask in
            for (path, version) in [("/guests/nowhere", "v7"), ("/api/nowhere", "v1")] {
                for (kind, told) in [("mobile-ios", "mobile-ios"), ("web", "web"), ("tablet", "web")] {
                    let answer = try await ask("GET", path, ["X-Client-Type": kind])
                    #expect(answer["X-API-Version"] == version && answer["X-Client-Type"] == told)
                    #expect(answer["X-Response-Size"] == "\(answer.body.count)")
                }
            }
            // Here phones may send twice as much as others.
            _ = try await ask("POST", "/guests/register", body: #"{"name":"ann"}"#)
            for (kind, limit) in [("mobile-android", 120), ("mobile-ios", 120), ("web", 60)] {
                let me = try await ask("GET", "/guests/me", ["X-Guest-Key": "key-0", "X-Client-Type": kind])
                #expect(me["X-RateLimit-Limit"] == "\(limit)" && me["X-RateLimit-Remaining"] == "\(limit - 1)")
            }
        }
    }

    @Test func eachGroupDescribesItself() async throws {
        try await withServer { ask in
            let guests = try #require(try await ask("GET", "/guests/openapi.json").json as? [String: Any])
            let paths = try #require(guests["paths"] as? [String: [String: [String: Any]]])
            #expect(paths.keys.sorted() == ["/guests/back-room", "/guests/me", "/guests/register"])
            #expect(paths["/guests/register"]?["post"]?["security"] == nil)
            #expect(paths["/guests/me"]?["get"]?["security"] as? [[String: [String]]] == [["key": []]])
            let rest = try #require(try await ask("GET", "/openapi.json").json as? [String: Any])
            let others = try #require(rest["paths"] as? [String: Any])
            #expect(others.count > 10 && others.keys.allSatisfy { !$0.hasPrefix("/guests") })
        }
    }

    @Test func limitsOfAGroupItsRoutesAndItsSendersAreApart() async throws {
        try await withServer { ask in
            // Of the route, by address: it is narrower than the group's.
            for number in 0..<4 {
                let answer = try await ask(
                    "POST", "/guests/register", ["X-Forwarded-For": "192.0.2.1"], body: #"{"name":"g\#(number)"}"#)
                #expect(answer.status == 201 && answer["X-RateLimit-Limit"] == "4")
            }
            var answers: [Int] = []
            // A second may pass meanwhile, in which one more comes through.
            for _ in 0..<20 {
                answers.append(
                    try await ask("POST", "/guests/register", ["X-Forwarded-For": "192.0.2.1"], body: "{}").status)
            }
            #expect(answers.contains(429) && Set(answers).isSubset(of: [422, 429]))
            let other = try await ask("POST", "/guests/register", ["X-Forwarded-For": "192.0.2.2"], body: "{}")
            #expect(other.status == 422)
            // Of the sender, and of the address.
            let me = try await ask("GET", "/guests/me", ["X-Guest-Key": "key-0", "X-Forwarded-For": "192.0.2.1"])
            #expect(me.status == 200 && me["X-RateLimit-Limit"] == "60")
            let nobody = try await ask("GET", "/guests/me", ["X-Forwarded-For": "192.0.2.3"])
            #expect(nobody["X-RateLimit-Limit"] == "120" && nobody["X-RateLimit-Remaining"] == "119")
            // The other group's are its own.
            let rest = try await ask("GET", "/api/auth/me", ["X-Forwarded-For": "192.0.2.3"])
            #expect(rest["X-RateLimit-Limit"] == "12000" && rest["X-RateLimit-Remaining"] == "11999")
        }
    }

    @Test func aRequestCountsOnceAgainstTheServersLimit() async throws {
        try await withServer(requestsPerSecond: 5) { ask in
            let began = ContinuousClock.now
            var taken = 0
            for path in Array(repeating: ["/guests/nowhere", "/api/nowhere", "/nowhere"], count: 10).joined() {
                let answer = try await ask("GET", path, ["X-Forwarded-For": "192.0.2.1"])
                if answer.status != 429 {
                    taken += 1
                } else {
                    // It is the server's own, whatever the path.
                    #expect(answer.text.hasPrefix(#"{"error":"Too many requests from this address;"#))
                }
            }
            let seconds = Double((ContinuousClock.now - began).components.seconds) + 1
            #expect(taken >= 5 && Double(taken) <= 6 + 5 * seconds)
        }
    }

    // MARK: The server

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: Any? { try? JSONSerialization.jsonObject(with: body) }
        subscript(name: String) -> String? { headers[name.lowercased()] }
    }

    /// A client of the server, which takes `X-Forwarded-For` for the address of a request.
    struct Client {
        let server: String

        func callAsFunction(
            _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
        ) async throws -> Answer {
            var request = URLRequest(url: try #require(URL(string: server + path)))
            request.httpMethod = method
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            if let body {
                request.httpBody = Data(body.utf8)
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            let http = try #require(response as? HTTPURLResponse)
            let fields = http.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
            return Answer(
                status: http.statusCode, headers: Dictionary(fields) { first, _ in first }, body: data)
        }
    }

    private func withServer(requestsPerSecond: Int = 1_000, _ body: (Client) async throws -> Void) async throws {
        let store = try DatabaseStore(.memory)
        defer { store.close() }
        let guests = Guests()
        let rest = API(store: store, verifier: OpenVerifier(), origins: .sameOrigin, isOpen: true, version: "1")
        let (hub, gate) = (RelayHub(shardCount: 2, store: store), RequestGate(perSecond: requestsPerSecond))
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: 0)]
        configuration.shardCount = 2
        configuration.trustedProxies = [try #require(AddressBlock("127.0.0.1"))]
        configuration.forwardedFor = true
        let transport = try TransportServer(configuration) { shard in
            shard.requestAdmission = { [unowned shard] in gate.count($0, $1, on: shard) }
            let router = HTTPRouter()
            router.mount(GroupService(guests, guests.book, on: shard), at: Guests.mount, countsRequests: true)
            router.mount(rest.service(hub, on: shard), at: API.mount, countsRequests: true)
            return router
        }
        defer { transport.stop() }
        let address = try #require(transport.addresses.first)
        try await body(Client(server: "http://\(address)"))
    }
}
