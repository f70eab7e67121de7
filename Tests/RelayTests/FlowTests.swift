import Glibc
import Rooms
import Testing
import Transport
import Wire

@testable import Relay

@Suite(.serialized, .timeLimit(.minutes(2))) struct FlowTests {
    private func event(_ error: JSONReader?) -> (code: String?, scope: String?, retryAfter: Int?) {
        (error?["code"]?.string, error?["details"]?["scope"]?.string, error?["details"]?["retryAfter"]?.int)
    }

    /// Acks of so many events, sent in one go.
    private func answers(_ client: TestClient, _ event: String, _ argument: String, count: Int) throws -> [JSONReader] {
        let acks = try (0..<count).map { _ in try client.begin(event, argument) }
        return try acks.map { try client.ack($0) }
    }

    private func taken(_ answers: [JSONReader]) -> Int { answers.count { $0["ok"]?.bool == true } }

    @Test func aPersonsConnectionsOnAllShardsShareOneLimitExactly() throws {
        let server = try RelayServer(shards: 3, flow: { $0.accountTouchesPerSecondMax = 50 })
        let clients = try (0..<3).map { try server.client("ada", onShard: $0) }
        for client in clients { _ = try client.join("den") }
        let began = ContinuousClock.now
        let answers = try clients.map {
            try self.answers($0, "touch:move", #"{"roomId":"den","x":1,"y":1}"#, count: 60)
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let passed = answers.reduce(0) { $0 + taken($1) }
        #expect(passed >= 50 && Double(passed) <= 50 + 50 * seconds + 1)
        let refused = answers.joined().first { $0["ok"]?.bool == false }
        let (code, scope, wait) = event(refused?["error"])
        #expect(code == "RATE_LIMITED" && scope == "account" && wait ?? 0 > 0)
        // Others are not concerned.
        let bob = try server.client("bob")
        _ = try bob.join("den")
        #expect(taken(try self.answers(bob, "touch:move", #"{"roomId":"den","x":1,"y":1}"#, count: 40)) == 40)
    }

    @Test func aLimitOutlivesTheConnectionThatUsedItUp() throws {
        let server = try RelayServer(flow: { $0.accountEventsPerSecondMax = 20 })
        do {
            let ada = try server.client("ada")
            _ = try answers(ada, "touch:end", #"{"roomId":"x"}"#, count: 40)
        }
        let again = try server.client("ada")
        let answer = try answers(again, "touch:end", #"{"roomId":"x"}"#, count: 60).last
        #expect(event(answer?["error"]).scope == "account")
    }

    @Test func aJoinCountsAsThreeEventsAndATokenAsTen() throws {
        let server = try RelayServer(flow: { $0.eventsPerSecondMax = 30 })
        // Of tokens one is looked at at a time: those that come meanwhile are refused, and cost as much.
        for (person, name, sent, cost, least) in [
            ("ada", "room:join", #"{"roomId":"den"}"#, 3, 10), ("bob", "auth:refresh", #"{"token":"bob"}"#, 10, 1),
        ] {
            let client = try server.client(person)
            let began = ContinuousClock.now
            let answers = try answers(client, name, sent, count: 120)
            let most = (30 + 30 * ((ContinuousClock.now - began) / .seconds(1))) / Double(cost)
            #expect(taken(answers) >= least && Double(taken(answers)) <= most + 1, "\(name): \(taken(answers))")
            #expect(answers.contains { event($0["error"]).code == "RATE_LIMITED" }, "\(name)")
        }
    }

    @Test func whoGoesOnDespiteRefusalsIsWarnedThenToldThenDisconnected() throws {
        let server = try RelayServer(flow: { $0.refusalsPerSecondMax = 10 })
        let ada = try server.client("ada")
        for _ in 0..<160 { try ada.emit("nonsense", "{}") }
        var texts: [String] = []
        while texts.last != "41" { texts.append(try ada.text()) }
        let errors = try texts.dropLast().map { try JSONReader(Array($0.utf8.dropFirst(2))).items ?? [] }
        let closes = errors.map { $0.last?["details"]?["closesAfter"]?.int }
        let warned = closes.firstIndex { $0 != nil } ?? -1
        // At half, after the refusal that was the fiftieth, with how many more there may be.
        #expect((50...70).contains(warned) && closes[warned] == 51)
        #expect(closes.compactMap { $0 } == [51, 0])
        #expect(closes.last == 0 && errors.last?.last?["code"]?.string == "RATE_LIMITED")
        #expect(errors.last?.last?["event"]?.string == "nonsense")
        #expect(throws: TestFailure.self) { try ada.text() }
    }

    @Test func whoIsRefusedNowAndThenStays() throws {
        let server = try RelayServer(flow: {
            $0.refusalsPerSecondMax = 1_000
            $0.eventsPerSecondMax = 0
            $0.accountEventsPerSecondMax = 0
        })
        let ada = try server.client("ada")
        for _ in 0..<20 {
            for answer in try answers(ada, "nonsense", "{}", count: 200) { #expect(answer["ok"]?.bool == false) }
        }
        #expect(try ada.join("den")["ok"]?.bool == true)
    }

    @Test func withoutLimitsEverythingPasses() throws {
        let server = try RelayServer(flow: { $0 = .off })
        let ada = try server.client("ada")
        _ = try ada.join("den")
        #expect(taken(try answers(ada, "touch:move", #"{"roomId":"den","x":1,"y":1}"#, count: 3_000)) == 3_000)
        _ = try answers(ada, "nonsense", "{}", count: 3_000)
        #expect(try ada.join("den")["ok"]?.bool == true)
        #expect(server.hub.flow.accounts.count == 0 && server.hub.flow.addresses.count == 0)
    }

    @Test func nothingIsKeptOfThoseWhoHaveGone() throws {
        let server = try RelayServer()
        for name in 0..<20 { _ = try server.client("guest\(name)") }
        #expect(try eventually { try server.onShard { $0.clients.isEmpty } })
        usleep(1_100_000)
        for name in 0..<20 { _ = try server.client("other\(name)") }
        #expect(server.hub.flow.accounts.count <= 22)
    }

    @Test func addressesAreCountedAsTheirOwnersHaveThem() throws {
        let server = try RelayServer()
        let counted = { @Sendable (text: String) -> String? in
            PeerAddress(text).flatMap { peer in server.transport.state.countedAddress(of: peer)?.description }
        }
        #expect(counted("192.0.2.7") == "192.0.2.7")
        #expect(counted("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::")
        #expect(counted("127.0.0.1") == nil && counted("::1") == nil)
    }
}
