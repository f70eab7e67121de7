import Dispatch
import Foundation
import Rooms
import TestSupport
import Testing
import Transport
import Wire

@testable import Relay

/// A shard with more work than its mailbox holds: losses are reported, and no client waits for ever.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OverloadTests {
    private let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4"#

    private func note(_ client: TestClient, in room: String, _ content: String) throws {
        let answer = try client.ask("element:create", "{\"roomId\":\"\(room)\",\(note),\"content\":\"\(content)\"}")
        #expect(answer["ok"]?.bool == true)
    }

    /// The next delta found one missing and ended the server. Without a next one, no client ever learned of the loss.
    @Test(arguments: [true, false]) func aShardThatCouldNotBeToldOfEverythingHasItsMembersComeAnew(
        thereIsMore: Bool
    ) throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("r", homeOn: 0)
        let ada = try server.client("ada", onShard: 0)
        let bob = try server.client("bob", onShard: 1)
        _ = try ada.join(room)
        _ = try bob.join(room)
        let jam = try Jam(server, shard: 1)
        try note(ada, in: room, "lost")
        if thereIsMore { try note(ada, in: room, "next") }
        jam.end()
        #expect(throws: TestFailure.self) { while true { _ = try bob.text() } }
        let again = try server.client("bob", onShard: 1)
        let elements = try again.join(room)["elements"]?.items ?? []
        #expect(elements.map { $0["content"]?.string } == (thereIsMore ? ["lost", "next"] : ["lost"]))
        try note(again, in: room, "told again")
    }

    @Test func whoAsksForWhatCannotBePassedOnIsRefused() throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("r", homeOn: 1)
        let ada = try server.client("ada", onShard: 0)
        _ = try ada.join(room)
        let jam = try Jam(server, shard: 1)
        defer { jam.end() }
        for (event, argument) in [
            ("room:join", "{\"roomId\":\"\(server.room("other", homeOn: 1))\"}"),
            ("element:create", "{\"roomId\":\"\(room)\",\(note)}"),
            ("touch:end", "{\"roomId\":\"\(room)\"}"),
        ] {
            #expect(try ada.ask(event, argument)["error"]?["code"]?.string == "SERVER_ERROR", "\(event)")
        }
    }

    /// The room kept a user who had gone, for ever.
    @Test func whoGoesMeanwhileHasGone() throws {
        let server = try RelayServer(shards: 2) { $0.room.graceMilliseconds = 50 }
        let room = server.room("r", homeOn: 1)
        for leaves in [true, false] {
            var ada: TestClient? = try server.client("ada", onShard: 0)
            _ = try ada?.join(room)
            let jam = try Jam(server, shard: 1)
            if leaves { #expect(try ada?.ask("room:leave", "{\"roomId\":\"\(room)\"}")["ok"]?.bool == true) }
            ada = nil
            #expect(try eventually { try server.onShard(0) { $0.edge.clients.isEmpty } })
            jam.end()
            #expect(try eventually { try server.onShard(1) { $0.home.rooms.isEmpty } })
        }
    }

    @Test func anAnswerThatComesThenIsNotLost() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.hold()
        let held = try ada.begin("element:create", "{\"roomId\":\"r\",\(note)}")
        _ = try ada.event("element:created")
        let jam = try Jam(server, shard: 0)
        store.release()
        Thread.sleep(forTimeInterval: 0.2)
        jam.end()
        #expect(try ada.ack(held)["ok"]?.bool == true)
        try note(ada, in: "r", "goes on")
        store.close()
    }
}
