import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("A connection that moves to another shard")
struct ConnectionMoveTests {
    let routes = Routes()

    @Test(arguments: [false, true])
    func itIsServedThereWithAllThatFollows(secure: Bool) throws {
        let certificate = try TestCertificate()
        let server = try TestServer(shards: 2, tls: secure ? certificate.files : nil, handler: routes.handler)
        for _ in 0..<10 {
            let client = try server.connect()
            if secure { #expect(client.startTLS()) }
            try client.send(get("/move?0") + get("/move?1") + post("/move?0", "abc") + get("/move?1") + get("/shard"))
            for text in ["0", "1", "0 3", "1", "1"] { #expect(try client.readResponse().text == text) }
            for index in [0, 1, 1, 0] {
                #expect(try client.get("/move?\(index)").text == "\(index)")
                #expect(try client.get("/shard").text == "\(index)")
            }
        }
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        // A connection may begin on either shard.
        #expect(60...70 ~= server.counters.connectionsMoved.value)
    }

    @Test(arguments: [false, true])
    func aBodyThatIsStillOnTheWayFollowsIt(secure: Bool) throws {
        let certificate = try TestCertificate()
        let server = try TestServer(shards: 2, tls: secure ? certificate.files : nil, handler: routes.handler)
        let client = try server.connect()
        if secure { #expect(client.startTLS()) }
        let body = String(repeating: "b", count: 500_000)
        for index in [0, 1, 0, 1] {
            try client.send(post("/move?\(index)", body) + get("/hello"))
            #expect(try client.readResponse().text == "\(index) 500000")
            #expect(try client.readResponse().text == "hello")
        }
    }

    @Test func aWebSocketMayBeOpenedThere() throws {
        let server = try TestServer(shards: 2) { exchange, shard in
            if shard.index == 0 { exchange.move(to: 1) } else { routes.handler(exchange, shard) }
        }
        for _ in 0..<8 {
            let client = try server.connect()
            // The frame comes in the segment of the request that moves.
            try client.send(Array(Client.upgradeRequest().utf8) + Client.text("early"))
            #expect(try client.readResponse().status == 101)
            #expect(try client.readFrame().text == "early")
        }
    }

    @Test func nothingIsAnsweredWhereItLeaves() throws {
        let server = try TestServer(shards: 2, handler: routes.handler)
        let client = try server.connect()
        for index in [0, 1, 0] { #expect(try client.get("/move-and-answer?\(index)").text == "\(index)") }
    }

    @Test func peersThatCloseMeanwhileLeaveNothingBehind() throws {
        let server = try TestServer(shards: 2, handler: routes.handler)
        for round in 0..<150 {
            let client = try server.connect()
            try client.send(get("/move?0") + get("/move?1") + get("/move?0"))
            switch round % 3 {
            case 0: client.reset()
            case 1: client.shutdownSending()
            default: break
            }
        }
        // Some may not have been accepted yet when the last is closed.
        let counters = server.counters
        #expect(becomesTrue { counters.connectionsAccepted.value == 150 && counters.connectionsOpen.value == 0 })
        for index in 0..<2 { #expect(server.onShard(index) { $0.connectionCount } == 0) }
        let client = try server.connect()
        #expect(try client.get("/move?1").text == "1")
    }

    @Test func whenTheOtherShardTakesNothingMoreTheRequestIsAnswered503AndTheConnectionGoesOn() throws {
        let server = try TestServer(shards: 2) { exchange, shard in
            // All requests begin on shard 0.
            if exchange.head.path == "/from-0", shard.index == 1 {
                exchange.move(to: 0)
            } else if exchange.head.path == "/from-0" {
                exchange.respond(200, text: "0")
            } else {
                routes.handler(exchange, shard)
            }
        }
        let client = try server.connect()
        #expect(try client.get("/from-0").text == "0")

        let begun = Mark<Bool>()
        let goOn = DispatchSemaphore(value: 0)
        server.server.mailboxes[1].post { _ in
            begun.set(true)
            goOn.wait()
        }
        #expect(begun.wait() == true)
        while server.server.mailboxes[1].post({ _ in }) {}
        let refused = try client.get("/move?1")
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] == "1")
        #expect(server.sawNotice(.moveFailed))
        #expect(try client.get("/hello").text == "hello")
        goOn.signal()
        #expect(becomesTrue { server.server.mailboxes[1].post { _ in } })
        #expect(try client.get("/move?1").text == "1")
    }

    @Test func connectionsOnTheirWayWhileTheServerStopsAreClosed() throws {
        for _ in 0..<20 {
            weak var state: ServerState?
            defer { #expect(state == nil, "a shard or a connection is left") }
            let server = try TestServer(shards: 2, handler: routes.handler)
            state = server.server.state
            let clients = try (0..<20).map { _ in try server.connect() }
            for client in clients {
                try client.send((0..<100).map { get("/move?\($0 % 2)") }.joined())
            }
            server.server.stop()
            #expect(server.counters.connectionsOpen.value == 0)
            // A descriptor that was left open would never end.
            for client in clients { #expect((try? client.readToEnd()) != nil) }
        }
    }
}
