import Rooms
import Store
import Testing
import Threads
import Transport
import Wire

@testable import Relay

@Suite(.serialized, .timeLimit(.minutes(2))) struct StoredRoomTests {
    private let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4"#

    private func creation(_ room: String, _ content: String) -> String {
        "{\"roomId\":\"\(room)\",\(note),\"content\":\"\(content)\"}"
    }

    private func contents(_ answer: JSONReader) -> [String?] {
        (answer["elements"]?.items ?? []).map { $0["content"]?.string }
    }

    /// Waits until a server has nothing of its rooms in memory any more.
    private func waitUntilEmpty(_ server: RelayServer, shards: Int) throws {
        #expect(
            try eventually {
                try (0..<shards).allSatisfy {
                    try server.onShard($0) { $0.home.rooms.isEmpty && $0.home.settling.isEmpty }
                }
            })
    }

    @Test(arguments: [1, 2]) func aRoomIsReadFromTheStoreWithItsElementsAndItsNumbersGoOn(shards: Int) throws {
        let store = try TestStore()
        let server = try RelayServer(shards: shards, store: store) { $0.room.graceMilliseconds = 50 }
        let ada = try server.client("ada")
        #expect(try ada.join("r")["seq"]?.int == 1)
        for content in ["a", "b"] { #expect(try ada.ask("element:create", creation("r", content))["ok"]?.bool == true) }
        #expect(try ada.ask("room:leave", "{\"roomId\":\"r\"}")["ok"]?.bool == true)
        try waitUntilEmpty(server, shards: shards)
        let again = try ada.join("r")
        #expect(contents(again) == ["a", "b"])
        // The three of before, the leave, and the join.
        #expect(again["seq"]?.int == 5)
        server.transport.stop()
        let next = try store.reopened()
        let second = try RelayServer(shards: shards, store: next)
        let third = try second.client("bob").join("r")
        #expect(contents(third) == ["a", "b"])
        // Ada was there when the server ended, and has left with that.
        #expect(third["seq"]?.int == 7 && third["participants"]?.items?.count == 1)
        next.close()
    }

    @Test func anAckWaitsForTheStoreAndTheBroadcastDoesNot() throws {
        let store = try TestStore()
        let server = try RelayServer(shards: 2, store: store)
        let room = server.room("r", homeOn: 1)
        let ada = try server.client("ada", onShard: 0)
        _ = try ada.join(room)
        store.hold()
        let held = try ada.begin("element:create", creation(room, "held"))
        #expect(try ada.event("element:created").first?["content"]?.string == "held")
        #expect(throws: TestFailure.self) { try ada.ack(held, within: 300) }
        store.release()
        #expect(try ada.ack(held)["ok"]?.bool == true)
        store.close()
    }

    /// A client changes an element twice in the same version, while the store takes its time.
    private func changeTwice(_ client: TestClient, _ store: TestStore) throws -> (first: Int, second: Int) {
        _ = try client.join("r")
        let made = try client.ask("element:create", creation("r", "a"))
        let id = try #require(made["element"]?["id"]?.string)
        let update = "{\"roomId\":\"r\",\"elementId\":\"\(id)\",\"version\":1,\"positionX\":5}"
        store.hold()
        let first = try client.begin("element:update", update)
        _ = try client.event("element:updated")
        return (first, try client.begin("element:update", update))
    }

    /// A client that went on from the text of a conflict sent its edit again without end: a server that was killed before it had
    /// stored that text did not know the version.
    @Test func aConflictWaitsUntilTheStoreHasWhatItTells() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        let (first, second) = try changeTwice(ada, store)
        // What tells nothing of the element does not wait.
        #expect(try ada.ask("touch:end", "{\"roomId\":\"r\"}")["ok"]?.bool == true)
        #expect(throws: TestFailure.self) { try ada.ack(second, within: 300) }
        store.release()
        #expect(try ada.ack(first)["ok"]?.bool == true)
        let error = try ada.ack(second)["error"]
        #expect(error?["code"]?.string == "CONFLICT" && error?["details"]?["element"]?["version"]?.int == 2)
        store.close()
    }

    /// The client was told that the room has the change, which was refused.
    @Test func aConflictThatTheStoreKeepsWaitingIsNoChangeThatTheRoomHas() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        let (first, second) = try changeTwice(ada, store)
        #expect(try ada.ask("touch:end", "{\"roomId\":\"r\"}")["ok"]?.bool == true)
        store.fail(.diskFull("x"))
        store.release()
        #expect(try ada.ack(first)["error"]?["message"]?.string?.contains("The room has it") == true)
        let error = try ada.ack(second)["error"]
        #expect(error?["code"]?.string == "SERVER_ERROR")
        #expect(error?["message"]?.string?.contains("The room has it") == false)
        store.close()
    }

    /// After a `kill -9` just behind the ack the client was taken back into the room.
    @Test func theAckOfALeaveWaitsUntilNoRestartCanBringTheClientBack() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.holdSeats()
        let held = try ada.begin("room:leave", "{\"roomId\":\"r\"}")
        // She has left at once; only the answer waits.
        #expect(try ada.ask("touch:end", "{\"roomId\":\"r\"}")["error"]?["code"]?.string == "FORBIDDEN")
        #expect(throws: TestFailure.self) { try ada.ack(held, within: 300) }
        store.release()
        #expect(try ada.ack(held)["ok"]?.bool == true)
        store.close()
    }

    @Test func aLeaveThatCannotBeStoredIsRefused() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.keepSeats(true)
        #expect(try ada.ask("room:leave", "{\"roomId\":\"r\"}")["error"]?["code"]?.string == "SERVER_ERROR")
        store.close()
    }

    @Test func whatMembersWereToldCanBeWaitedFor() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        #expect(try ada.ask("element:create", creation("r", "a"))["ok"]?.bool == true)
        store.hold()
        try ada.emit("element:create", creation("r", "b"))
        _ = try ada.event("element:created")
        _ = try ada.event("element:created")
        let answers = Locked<[RoomError?]>([])
        server.rooms.whenStored("r") { error in answers.withLock { $0.append(error) } }
        server.rooms.whenStored("another") { error in answers.withLock { $0.append(error) } }
        // The room that is not in use has nothing to wait for.
        #expect(eventually { answers.withLock { $0.count } == 1 })
        store.release()
        #expect(eventually { answers.withLock { $0 } == [nil, nil] })
        store.fail(.diskFull("x"))
        try ada.emit("element:create", creation("r", "c"))
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("r")]?.journal?.isFailing == true } })
        server.rooms.whenStored("r") { error in answers.withLock { $0.append(error) } }
        #expect(eventually { answers.withLock { $0.last??.code } == .server })
        store.close()
    }

    @Test func whatFailsIsRefusedKeptAndStoredInOrderWhenTheStoreIsGoodAgain() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        #expect(try ada.ask("element:create", creation("r", "a"))["ok"]?.bool == true)
        store.fail(.diskFull("x"))
        #expect(try ada.ask("element:create", creation("r", "b"))["error"]?["code"]?.string == "SERVER_ERROR")
        // Now that it is known, nothing is begun.
        #expect(try ada.ask("element:create", creation("r", "c"))["error"]?["code"]?.string == "SERVER_ERROR")
        let names = try ada.join("r")
        #expect(contents(names) == ["a", "b"])
        store.fail(nil)
        Relay.storeIsGood(server.transport.mailboxes)
        #expect(try eventually { try ada.ask("element:create", creation("r", "d"))["ok"]?.bool == true })
        server.transport.stop()
        let next = try store.reopened()
        let again = try RelayServer(store: next)
        #expect(contents(try again.client("bob").join("r")) == ["a", "b", "d"])
        next.close()
    }

    @Test func itIsTriedAgainWithoutBeingTold() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.fail(.overloaded)
        #expect(try ada.ask("element:create", creation("r", "a"))["ok"]?.bool == false)
        store.fail(nil)
        #expect(try eventually { try ada.ask("element:create", creation("r", "b"))["ok"]?.bool == true })
        store.close()
    }

    @Test func aRoomStaysInMemoryUntilItIsStored() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.hold()
        try ada.emit("element:create", creation("r", "a"))
        #expect(try ada.ask("room:leave", "{\"roomId\":\"r\"}")["ok"]?.bool == true)
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("r")]?.room.participantCount == 0 } })
        #expect(contents(try ada.join("r")) == ["a"])
        #expect(try ada.ask("room:leave", "{\"roomId\":\"r\"}")["ok"]?.bool == true)
        store.release()
        try waitUntilEmpty(server, shards: 1)
        #expect(contents(try ada.join("r")) == ["a"])
        store.close()
    }

    @Test func aClosedRoomIsReadAnewOnceItIsStored() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.hold()
        try ada.emit("element:create", creation("r", "a"))
        _ = try ada.event("element:created")
        #expect(try server.outcome { $0.close("r", reason: "deleted", $1) } == .done)
        let join = try ada.begin("room:join", "{\"roomId\":\"r\"}")
        #expect(throws: TestFailure.self) { try ada.ack(join, within: 200) }
        store.release()
        #expect(contents(try ada.ack(join)) == ["a"])
        #expect(try server.onShard { $0.home.settling.isEmpty })
        store.close()
    }

    @Test(arguments: [false, true])
    func aRoomOfWhichTheStoreHasSomethingElseIsClosedAndReadAnew(failsToCount: Bool) throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        let ada = try server.client("ada")
        _ = try ada.join("r")
        #expect(try ada.ask("element:create", creation("r", "a"))["ok"]?.bool == true)
        if failsToCount { store.failNextCount() }
        store.fail(.outOfOrder(stored: 9))
        #expect(try ada.ask("element:create", creation("r", "b"))["ok"]?.bool == false)
        _ = try ada.event("room:closed")
        store.fail(nil)
        var again = try ada.ask("room:join", "{\"roomId\":\"r\"}")
        // Whoever comes before the loss could not be counted is refused.
        if failsToCount, again["ok"]?.bool == false { again = try ada.join("r") }
        #expect(contents(again) == ["a"])
        // Versions of elements may have been told, too, and are not given again.
        let id = try #require(again["elements"]?.items?.first?["id"]?.string)
        let update = "{\"roomId\":\"r\",\"elementId\":\"\(id)\",\"content\":\"c\"}"
        #expect(try ada.ask("element:update", update)["element"]?["version"]?.int == 2 + Element.versionsLeftOut)
        store.close()
    }

    /// The Kelvin sign is no K, though Unicode holds the two for the same letter. An element was found by such an id, and
    /// what the store was then told of it could never be stored, nor anything of the room that came after it.
    @Test func anIDThatOnlyLooksTheSameDisturbsNothing() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store, flow: { $0 = .off })
        let ada = try server.client("ada")
        _ = try ada.join("r")
        var id = ""
        while !id.contains("K") {
            id = try ada.ask("element:create", creation("r", "a"))["element"]?["id"]?.string ?? ""
        }
        let other = id.replacing("K", with: "\u{212a}")
        let refused = try ada.ask("element:delete", "{\"roomId\":\"r\",\"elementId\":\"\(other)\"}")
        #expect(refused["error"]?["code"]?.string == "NOT_FOUND")
        #expect(try ada.ask("element:create", creation("r", "b"))["ok"]?.bool == true)
        store.close()
    }

    /// The resend of an earlier creation waits for the store as well, and adds nothing to what bounds waiting requests.
    @Test func resendsThatWaitForTheStoreAreBoundedToo() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store, flow: { $0 = .off })
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.hold()
        let argument = "{\"roomId\":\"r\",\(note),\"clientId\":\"same\"}"
        for _ in 0..<6_000 { try ada.begin("element:create", argument) }
        var refused = ""
        while !refused.hasPrefix("43") { refused = try ada.text() }
        #expect(refused.contains("SERVER_ERROR"))
        store.release()
        #expect(try eventually { try ada.ask("element:create", argument)["ok"]?.bool == true })
        store.close()
    }

    @Test func aRoomThatWaitsForTheStoreTakesABoundedNumberOfChangesAndLosesNone() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store, flow: { $0 = .off })
        let ada = try server.client("ada")
        _ = try ada.join("r")
        store.hold()
        let long = String(repeating: "x", count: 20)
        var asked: [Int] = []
        var answer = ""
        // Acks come when it is stored, a refusal at once.
        while !answer.hasPrefix("43"), asked.count < 5_000 {
            asked.append(try ada.begin("element:create", creation("r", long)))
            repeat {
                answer = try ada.text()
            } while !answer.hasPrefix("42[\"element:created") && !answer.hasPrefix("43")
        }
        #expect(answer.contains("SERVER_ERROR") && asked.count > 4_000)
        #expect(try server.onShard { $0.home.rooms[RoomID("r")]?.isFull == true })
        #expect(try server.client("bob").join("r")["error"]?["code"]?.string == "SERVER_ERROR")
        store.release()
        var accepted = 0
        for id in asked.dropLast() where try ada.ack(id)["ok"]?.bool == true { accepted += 1 }
        #expect(accepted == asked.count - 1)
        #expect(try ada.ask("element:create", creation("r", "after"))["ok"]?.bool == true)
        server.transport.stop()
        let next = try store.reopened()
        let second = try RelayServer(store: next)
        let again = contents(try second.client("bob").join("r"))
        second.transport.stop()
        #expect(again.count == accepted + 1 && again.last == "after")
        next.close()
    }
}
