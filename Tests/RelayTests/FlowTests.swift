import Rooms
import Testing
import Threads
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
        let began = ContinuousClock.now
        let told = try (0..<2).flatMap { _ in
            try answers(server.client("ada"), "touch:end", #"{"roomId":"x"}"#, count: 60)
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        // A limit of each connection would let 20 more through.
        let passed = told.count { event($0["error"]).scope != "account" }
        #expect(passed >= 20 && Double(passed) <= 20 + 20 * seconds + 1)
    }

    @Test func aJoinCountsAsThreeEventsARepeatedOneAndATokenAsTen() throws {
        let server = try RelayServer({ $0.roomsPerConnectionMax = 200 }, flow: { $0.eventsPerSecondMax = 30 })
        let again = Array(repeating: #"{"roomId":"den"}"#, count: 120)
        // One token of a connection is checked at a time. Others that come meanwhile are refused, and cost as much.
        for (person, name, sent, cost, least) in [
            ("ada", "room:join", (0..<120).map { #"{"roomId":"den\#($0)"}"# }, 3, 10),
            ("eve", "room:join", again, 10, 2),
            ("bob", "auth:refresh", Array(repeating: #"{"token":"bob"}"#, count: 120), 10, 1),
        ] {
            let client = try server.client(person)
            // The first of the repeated ones costs less.
            if sent == again { _ = try client.join("den") }
            let began = ContinuousClock.now
            let acks = try sent.map { try client.begin(name, $0) }
            let answers = try acks.map { try client.ack($0) }
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
        let server = try RelayServer(flow: {
            $0.accountJoinBytesPerSecondMax = 0
            $0.addressJoinBytesPerSecondMax = 0
        })
        for name in 0..<20 { _ = try server.client("guest\(name)") }
        let ada = try server.client("ada")
        let (flow, now) = (server.hub.flow, Clock.milliseconds())
        for address: UInt32 in 1...20 {
            _ = flow.addresses.fetch(.v4(address), now: now)
            flow.addresses.giveBack(.v4(address), now: now)
        }
        // After a second at rest their budgets are full again, so there is nothing to remember.
        #expect(
            eventually {
                for meters in server.hub.meters { while meters.removeUnused(now: Clock.milliseconds()) {} }
                return flow.accounts.count == 1 && flow.addresses.count == 0
            })
        #expect(try ada.join("den")["ok"]?.bool == true)
    }

    // MARK: Joins

    /// A room whose state has some 80 KB.
    private func fill(_ room: String, on server: RelayServer) throws {
        let writer = try server.client("writer")
        _ = try writer.join(room)
        let content = String(repeating: "x", count: 4_000)
        for _ in 0..<20 {
            let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4,"content":"\#(content)""#
            #expect(try writer.ask("element:create", #"{"roomId":"\#(room)",\#(note)}"#)["ok"]?.bool == true)
        }
    }

    /// 60 bytes brought 4 MB, thirty times a second.
    @Test(arguments: [1, 3]) func whoJoinsAgainAndAgainIsAnsweredSoManyBytes(shards: Int) throws {
        let server = try RelayServer(shards: shards, flow: { $0.accountJoinBytesPerSecondMax = 50_000 })
        try fill("den", on: server)
        let ada = try server.client("ada")
        let began = ContinuousClock.now
        var answered = 0
        var refused: JSONReader?
        while refused == nil {
            let answer = try ada.join("den")
            if answer["ok"]?.bool == true { answered += 1 } else { refused = answer }
            // Leaving does not help.
            if answered == 2 { _ = try ada.ask("room:leave", #"{"roomId":"den"}"#) }
        }
        // Each is some 170 KB: the event, and the ack.
        let bytes = 500_000 + 50_000 * ((ContinuousClock.now - began) / .seconds(1))
        #expect(answered >= 2 && Double(answered) <= bytes / 160_000 + 1)
        let (code, scope, wait) = event(refused?["error"])
        #expect(code == "RATE_LIMITED" && scope == "account" && wait ?? 0 > 0)
        // Another device of the user has what the account has gained meanwhile, and no more. Another user has all.
        let tablet = try server.client("ada")
        refused = nil
        while refused == nil {
            let answer = try tablet.join("den")
            if answer["ok"]?.bool == true { answered += 1 } else { refused = answer }
        }
        #expect(event(refused?["error"]).scope == "account")
        let allBytes = 500_000 + 50_000 * ((ContinuousClock.now - began) / .seconds(1))
        #expect(Double(answered) <= allBytes / 160_000 + 1)
        #expect(try server.client("bob").join("den")["elements"]?.items?.count == 20)
        let told = try (0..<shards).map { shard in
            try server.onShard(shard) { $0.edge.counters.totals.excessBySetting.map { "\($0.setting) \($0.count)" } }
        }
        #expect(told.joined().contains("account-join-bytes-per-second-max 2"))
    }

    @Test func aStormOfClientsOfOneAddressIsAnsweredAndASingleOneIsNot() {
        let rates = FlowRates(FlowLimits())
        let office = SenderPaces()
        let storm = (0..<5_000).count { _ in
            JoinBudget(rates: rates, account: SenderPaces(), address: office).take(195_000, now: 0) == nil
        }
        #expect(storm == 5_000)
        // A device that comes back to all its rooms, and one that goes on with that for a minute.
        let budget = JoinBudget(rates: rates, account: SenderPaces(), address: nil)
        #expect((0..<32).allSatisfy { _ in budget.take(1_500_000, now: 0) == nil })
        let more = (0..<60_000).count { budget.take(3_900_000, now: $0) == nil }
        #expect(more > 50 && more <= 60 * 5_000_000 / 3_900_000 + 1)
        // An answer that is larger than what may go out at once waits for a pause, and is not refused for ever.
        var small = FlowLimits()
        small.addressJoinBytesPerSecondMax = 1_000
        let slow = JoinBudget(rates: FlowRates(small), account: nil, address: SenderPaces())
        #expect(slow.take(4_000_000, now: 0) == nil)
        #expect(slow.take(1, now: 1)?.scope == .address && slow.take(1, now: 10_000) == nil)
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
