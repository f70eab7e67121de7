import Rooms
import Store
import Testing
import Wire

@testable import Relay

/// What clients that come back are told of rooms that they were put out of. The rest is tested with real clients.
@Suite(.serialized, .timeLimit(.minutes(2))) struct RecoveryTests {
    /// A client that comes back as the same with a connection of its own each time.
    private final class Returning {
        let server: RelayServer
        var client: TestClient
        private(set) var pid: String
        var offset: String
        /// Whether the server knew it when it first came.
        private(set) var isSame = false

        init(_ server: RelayServer, pid: String = "", offset: String = "") throws {
            self.server = server
            (self.pid, self.offset) = (pid, offset)
            client = try TestClient(port: server.port)
            isSame = try connect()
        }

        /// Answers whether it is still the same.
        func connect() throws -> Bool {
            client = try TestClient(port: server.port)
            let shown = pid.isEmpty ? "" : ",\"pid\":\"\(pid)\",\"offset\":\"\(offset)\""
            let answer = try client.connect(showing: "{\"token\":\"ada\",\"rooms\":{\"recovery\":true}\(shown)}")
            defer { pid = answer["pid"]?.string ?? "" }
            return answer["pid"]?.string == pid
        }

        /// The argument of the next event of this name.
        func event(_ name: String) throws -> JSONReader? {
            let arguments = try client.event(name)
            if arguments.count > 1, let offset = arguments.last?.string { self.offset = offset }
            return arguments.first
        }

        func join(_ room: String) throws {
            try client.emit("room:join", "{\"roomId\":\"\(room)\"}")
            _ = try event("room:joined")
        }
    }

    private func put(_ room: String, outOf server: RelayServer, closing: Bool) throws {
        let outcome = try server.outcome {
            closing ? $0.close(room, reason: "why", $1) : $0.expel("ada", from: room, reason: "why", $1)
        }
        #expect(outcome == .done)
    }

    @Test(
        "A room that was closed, or that it was sent out of, before it saw so is told again", arguments: [true, false])
    func unseen(closing: Bool) throws {
        let server = try RelayServer(shards: 3)
        let ada = try Returning(server)
        try ada.join("other")
        try ada.join("den")
        let offset = ada.offset
        try put("den", outOf: server, closing: closing)
        // It came, but not so far: the connection was lost before.
        _ = try ada.event("room:closed")
        ada.offset = offset
        for _ in 0..<2 {
            #expect(try ada.connect())
            #expect(try ada.event("room:closed")?["reason"]?.string == "why")
            ada.offset = offset
        }
        #expect(try ada.client.ask("touch:move", #"{"roomId":"den","x":1,"y":1}"#)["ok"]?.bool == false)
        #expect(try ada.client.ask("touch:move", #"{"roomId":"other","x":1,"y":1}"#)["ok"]?.bool == true)
    }

    @Test("One that it has seen is not", arguments: [true, false])
    func seen(closing: Bool) throws {
        let server = try RelayServer(shards: 3)
        let ada = try Returning(server)
        let bob = try server.client("bob")
        try ada.join("other")
        _ = try bob.join("other")
        _ = try ada.event("user:joined")
        try ada.join("den")
        try put("den", outOf: server, closing: closing)
        _ = try ada.event("room:closed")
        // The event of a removal has no offset: only a later event shows that it was seen.
        let note = #"{"roomId":"other","type":"note","positionX":1,"positionY":2,"width":3,"height":4}"#
        if !closing {
            _ = try bob.ask("element:create", note)
            _ = try ada.event("element:created")
        }
        #expect(try ada.connect())
        _ = try bob.ask("element:create", note)
        #expect(try ada.client.names(through: "element:created") == ["element:created"])
    }

    /// Coming back over and over would be as good as joining over and over.
    @Test("What a client that comes back is told counts as a join's answer; past the budget the client waits")
    func budget() throws {
        let server = try RelayServer(shards: 3, flow: { $0.accountJoinBytesPerSecondMax = 8_192 })
        let bob = try server.client("bob")
        _ = try bob.join("den")
        for _ in 0..<2 {
            let content = String(repeating: "x", count: 4_000)
            let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4,"content":"\#(content)""#
            _ = try bob.ask("element:create", #"{"roomId":"den",\#(note)}"#)
        }
        let ada = try Returning(server)
        try ada.join("den")
        for _ in 0..<3 {
            #expect(try ada.connect())
            #expect(try ada.client.ask("touch:end", #"{"roomId":"den"}"#)["ok"]?.bool == true)
        }
        #expect(try joinExcess(server) == 0, "a client that has missed nothing is told nothing")
        for _ in 0..<12 {
            ada.offset = ""
            #expect(try ada.connect())
            #expect(try ada.event("room:joined") != nil)
        }
        #expect(try joinExcess(server) > 0)
        #expect(try ada.client.ask("touch:end", #"{"roomId":"den"}"#)["ok"]?.bool == true)
    }

    @Test("What a client has missed counts too, as often as the client asks for it")
    func missedBudget() throws {
        let server = try RelayServer(shards: 3, flow: { $0.accountJoinBytesPerSecondMax = 8_192 })
        let bob = try server.client("bob")
        _ = try bob.join("den")
        let ada = try Returning(server)
        try ada.join("den")
        let old = ada.offset
        let content = String(repeating: "x", count: 4_000)
        let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4,"content":"\#(content)""#
        for _ in 0..<4 { _ = try bob.ask("element:create", #"{"roomId":"den",\#(note)}"#) }
        for _ in 0..<8 {
            ada.offset = old
            #expect(try ada.connect())
            #expect(try ada.event("element:created") != nil)
        }
        #expect(try joinExcess(server) > 0)
    }

    private func joinExcess(_ server: RelayServer) throws -> Int {
        try (0..<3).reduce(0) { sum, shard in
            try sum
                + server.onShard(shard) { relay in
                    relay.edge.counters.totals.excessBySetting.first { $0.setting.hasPrefix("account-join") }?.count
                        ?? 0
                }
        }
    }

    @Test("A client that was away when the room was closed is in the room of the same name, or is told why not")
    func away() throws {
        let server = try RelayServer(shards: 3)
        let ada = try Returning(server)
        try ada.join("den")
        ada.client = try TestClient(port: server.port)
        #expect(try eventually { try (0..<3).contains { try server.onShard($0) { $0.returns.lost.count > 0 } } })
        try put("den", outOf: server, closing: true)
        #expect(try ada.connect())
        #expect(try ada.event("room:joined")?["participants"]?.items?.count == 1)
        #expect(try ada.client.ask("touch:move", #"{"roomId":"den","x":1,"y":1}"#)["ok"]?.bool == true)
    }

    @Test("A client that was put out of a room does not come back there, although the store kept its seat for a while")
    func seatThatStays() throws {
        let store = try TestStore()
        defer { store.close() }
        let server = try RelayServer(shards: 3, store: store) { $0.recoveryMilliseconds = 1_000 }
        let ada = try Returning(server)
        try ada.join("den")
        store.keepSeats(true)
        try put("den", outOf: server, closing: false)
        ada.client = try TestClient(port: server.port)
        #expect(try eventually { try store.seats(of: ada.pid).map(\.room) == ["den"] })
        // The shard of the client posts the loss to the others in its turn; after one turn of each, all know of it.
        for shard in 0..<3 { try server.onShard(shard) { _ in } }
        // The server forgets the client before it comes back.
        #expect(try eventually { try (0..<3).allSatisfy { try server.onShard($0) { $0.returns.lost.count == 0 } } })
        #expect(try !Returning(server, pid: ada.pid, offset: ada.offset).isSame)
        store.keepSeats(false)
        #expect(try eventually { try store.seats(of: ada.pid).isEmpty })
    }
}
