import Testing
import Transport
import Wire

@testable import Sessions

@Suite struct DrainTests {
    @Test func newSessionsAreRefusedAndTheOthersGoOn() throws {
        let server = try TestServer(shards: 3)
        let client = try PollingClient(server)
        let (socket, _) = try server.webSocket()
        for shard in 0..<3 { try server.onShard(shard) { $0.service.drain() } }
        let answer = try server.connect().request("GET", server.target("polling"))
        #expect(answer.status == 503)
        #expect(answer["Retry-After"] == "2")
        let refusal = #expect(throws: TestRefusal.self) { _ = try server.webSocket() }
        #expect(refusal?.response.status == 503)
        #expect(refusal?.response["Retry-After"] == "2")
        try client.post("4a")
        #expect(try client.poll() == ["4a"])
        try socket.send("4b")
        #expect(try socket.nextText() == "4b")
        let upgraded = try client.upgrade()
        try upgraded.send("4c")
        #expect(try upgraded.nextText() == "4c")
        #expect(server.sessionCount == 2)
    }

    @Test func allCanBeSentAwayWithAReason() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        let polled = try PollingClient(server)
        let unpolled = try PollingClient(server)
        for client in [polled, unpolled] {
            try client.post("40")
            _ = try client.poll()
        }
        try polled.beginPoll()
        #expect(!polled.polls.isReadable(within: 20))
        try server.onShard { $0.service.closeAll(.serverShuttingDown) }
        // No DISCONNECT: they are to come back.
        #expect(try socket.next() == .close(1001))
        // Nor the packet "close": python-socketio would not come back.
        #expect(try polled.endPoll() == ["6"])
        #expect(try unpolled.poll() == ["6"])
        #expect(server.log.has("disconnected / server shutting down", times: 3))
        #expect(server.leavesNoTrace)
    }

    @Test func eachSessionHasItsOwnTimeAndIsClosedThen() throws {
        let server = try TestServer(socketsOn: 1)
        let sockets = try (0..<10).map { _ in try server.socket() }
        let began = ContinuousClock.now
        try server.onShard { $0.service.drain(over: 500) }
        var closed: [Duration] = []
        for socket in sockets {
            #expect(try socket.readToClose().code == 1001)
            closed.append(ContinuousClock.now - began)
        }
        #expect(closed.max() ?? .zero > .milliseconds(400))
        #expect(server.log.has("disconnected / server shutting down", times: 10))
        #expect(server.leavesNoTrace)
    }

    @Test func aServerThatHasSentItsClientsAwayTakesNewOnesWhenItCanServeAgain() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try server.onShard { $0.service.sendAway(over: 0) }
        #expect(try socket.readToClose().code == 1001)
        #expect(throws: TestRefusal.self) { _ = try server.webSocket() }
        #expect(try server.onShard { $0.service.isAway && $0.service.takeBack() })
        let again = try server.socket()
        // One that has not been closed yet goes on.
        let isOpen = try server.onShard { shard in
            shard.service.sendAway(over: 3_600_000)
            return shard.service.takeBack()
        }
        #expect(isOpen)
        try again.send("3")
        // A server that ends takes nobody back.
        let isOpenAtTheEnd = try server.onShard { shard in
            shard.service.sendAway(over: 3_600_000)
            shard.service.drain(over: 0)
            return shard.service.takeBack()
        }
        #expect(!isOpenAtTheEnd)
        #expect(throws: TestRefusal.self) { _ = try server.webSocket() }
    }

    @Test func aNamespaceIsRefusedWhileDraining() throws {
        let server = try TestServer(socketsOn: 1)
        let (socket, _) = try server.webSocket()
        try server.onShard { $0.service.drain() }
        try socket.send("40")
        #expect(
            try socket.nextText()
                == #"44{"message":"The server is shutting down.","data":{"code":"SHUTTING_DOWN"}}"#)
    }

    @Test func theEndOfTheServerIsToldToItsClients() throws {
        let server = try TestServer(shards: 3)
        let sockets = try (0..<3).map { try server.webSocket(on: server.connect(toShard: $0)).socket }
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        server.transport.stop()
        for socket in sockets { #expect(try socket.next() == .close(1001)) }
        #expect(try client.endPoll() == ["6"])
        #expect(server.log.count("closed server shutting down") == 4)
    }

    @Test func nothingIsLeftOfAClientThatDoesNotComeToHearOfTheEnd() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let watch = try server.onSession(client.sid) { Watch(session: $0) }
        server.transport.stop()
        #expect(server.log.has("closed server shutting down"))
        let isGone = watch.session == nil
        #expect(isGone)
    }
}

/// Looked at once the server has stopped, when no thread has the session any more.
private struct Watch: @unchecked Sendable {
    weak var session: EngineSession?
}
