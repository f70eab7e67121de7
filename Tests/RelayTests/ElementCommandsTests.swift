import Media
import Rooms
import Sessions
import Store
import TestSupport
import Testing
import Threads
import Transport
import Wire

@testable import Relay

/// Elements that are changed by people without a connection, as REST does it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ElementCommandsTests {
    typealias Answer = Result<RoomCommands.ElementAnswer, RoomError>

    private let note = Array(#"{"type":"note","positionX":1,"positionY":2,"width":3,"height":4}"#.utf8)

    private func place(_ room: String, _ person: String = "eve") -> RoomCommands.ElementPlace {
        RoomCommands.ElementPlace(roomID: room, info: RoomInfo.ofID(room), personID: person)
    }

    /// Gives a command; what comes of it can be waited for.
    private func begin(
        _ server: RelayServer, _ command: (RoomCommands, @escaping RoomCommands.ElementDone) -> Void
    ) -> @Sendable () -> Answer? {
        let answer = Locked<Answer?>(nil)
        command(server.rooms) { given in answer.withLock { $0 = given } }
        return { answer.withLock { $0 } }
    }

    private func element(
        _ server: RelayServer, _ command: (RoomCommands, @escaping RoomCommands.ElementDone) -> Void
    ) throws -> JSONReader {
        let answer = begin(server, command)
        #expect(eventually { answer() != nil })
        return try JSONReader(#require(answer()).get().json)
    }

    private func error(
        _ server: RelayServer, _ command: (RoomCommands, @escaping RoomCommands.ElementDone) -> Void
    ) -> RoomError? {
        let answer = begin(server, command)
        #expect(eventually { answer() != nil })
        if case .failure(let error)? = answer() { return error }
        return nil
    }

    @Test func membersSeeAtOnceWhatIsDoneWithoutAConnection() throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("den", homeOn: 1)
        let ada = try server.client("ada", onShard: 0)
        _ = try ada.join(room)
        let made = try element(server) { $0.createElement(note, clientID: nil, at: place(room), $1) }
        #expect(try ada.event("element:created").first?.json == made.json)
        #expect(made["createdBy"]?.string == "eve" && made["version"]?.int == 1)
        let id = try #require(made["id"]?.string)
        let changed = try element(server) {
            $0.updateElement(id, Array(#"{"content":"new","version":1}"#.utf8), at: place(room), $1)
        }
        #expect(try ada.event("element:updated").first?.json == changed.json)
        #expect(changed["updatedBy"]?.string == "eve" && changed["content"]?.string == "new")
        let gone = try element(server) { $0.deleteElement(id, at: place(room), $1) }
        #expect(gone["version"]?.int == 3 && gone["content"]?.string == "new")
        #expect(try ada.event("element:deleted").first?["version"]?.int == 3)
        #expect(error(server) { $0.deleteElement(id, at: place(room), $1) }?.code == .notFound)
    }

    @Test func aRoomThatNobodyIsInIsReadAndLetGo() throws {
        let store = try TestStore()
        let server = try RelayServer(shards: 2, store: store)
        for home in 0..<2 {
            let room = server.room("den", homeOn: home)
            let made = try element(server) { $0.createElement(note, clientID: nil, at: place(room), $1) }
            #expect(error(server) { $0.deleteElement("nothing", at: place(room), $1) }?.code == .notFound)
            #expect(
                try eventually {
                    try (0..<2).allSatisfy {
                        try server.onShard($0) {
                            $0.home.rooms.isEmpty && $0.home.settling.isEmpty && $0.home.loading.isEmpty
                        }
                    }
                })
            let joined = try server.client("ada").join(room)
            #expect(joined["elements"]?.items?.map(\.json) == [made.json])
        }
        store.close()
    }

    @Test func theAnswerWaitsForTheStoreAndSaysWhenThatFails() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        store.hold()
        let answer = begin(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("r")]?.isStored == false } })
        #expect(answer() == nil)
        store.release()
        #expect(eventually { answer() != nil })
        store.fail(.diskFull("x"))
        #expect(error(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }?.code == .server)
        // Now that it is known, nothing is begun.
        #expect(error(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) } == RoomJournal.takesNothing)
        store.close()
    }

    @Test func aCreationThatIsRepeatedMakesNothingTwice() throws {
        let server = try RelayServer()
        let ada = try server.client("ada")
        _ = try ada.join("r")
        let first = begin(server) { $0.createElement(note, clientID: "k", at: place("r", "ada"), $1) }
        let second = begin(server) { $0.createElement(note, clientID: "k", at: place("r", "ada"), $1) }
        #expect(eventually { first() != nil && second() != nil })
        let (one, two) = (try first()?.get(), try second()?.get())
        #expect(one?.json == two?.json && one?.isNew == true && two?.isNew == false)
        // An event with this name is the same creation.
        let resend = #"{"roomId":"r","clientId":"k","type":"note","positionX":1,"positionY":2,"width":3,"height":4}"#
        #expect(try ada.ask("element:create", resend)["element"]?.json == one?.json)
        // What the object says goes before, and names are one's own.
        let named = Array(resend.utf8)
        #expect(
            try element(server) { $0.createElement(named, clientID: "x", at: place("r", "ada"), $1) }.json == one?.json)
        #expect(try element(server) { $0.createElement(named, clientID: nil, at: place("r"), $1) }.json != one?.json)
    }

    @Test func anotherVersionIsAConflictWithTheElementAsItIs() throws {
        let server = try RelayServer()
        let ada = try server.client("ada")
        _ = try ada.join("r")
        let made = try element(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }
        let id = try #require(made["id"]?.string)
        let refusal = error(server) {
            $0.updateElement(id, Array(#"{"width":9,"version":7}"#.utf8), at: place("r"), $1)
        }
        #expect(refusal?.code == .conflict)
        #expect(try JSONReader(refusal?.details ?? [])["element"]?.json == made.json)
    }

    @Test(arguments: [
        (#"{}"#, "type"), (#"{"type":"note","positionX":"1"}"#, "positionX"),
        (#"{"type":"photo","positionX":1,"positionY":2,"width":3,"height":4,"imageUrl":"https://"}"#, "imageUrl"),
        (#"{"type":"audio","positionX":1,"positionY":2,"width":3,"height":4,"audioUrl":"file:///a"}"#, "audioUrl"),
        (#"{"type":"note","positionX":1,"positionY":2,"width":-3,"height":4}"#, "width"),
    ])
    func whatIsWrongIsNamedAndNoRoomIsReadForIt(json: String, field: String) throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let refusal = error(server) { $0.createElement(Array(json.utf8), clientID: nil, at: place("slow"), $1) }
        #expect(refusal?.code == .validation)
        #expect(try JSONReader(refusal?.details ?? [])["field"]?.string == field)
    }

    // MARK: Files

    @Test func whatRoomsShowAndHaveNotStoredIsKnownAndWhatIsCondemnedIsNotShown() throws {
        let store = try TestStore()
        let server = try RelayServer(
            shards: 2, store: store,
            mediaOf: { values in
                let json = values[Element.Field.imageUrl.rawValue]
                return json.isEmpty ? [] : [String(decoding: json, as: UTF8.self)]
            })
        func photo(_ url: String) -> [UInt8] {
            Array(#"{"type":"photo","positionX":1,"positionY":2,"width":3,"height":4,"imageUrl":"\#(url)"}"#.utf8)
        }
        func notStored() -> Set<String>? {
            let keys = Locked<Set<String>??>(nil)
            server.rooms.condemn([#""http://a""#, #""http://c""#]) { given in keys.withLock { $0 = .some(given) } }
            #expect(eventually { keys.withLock { $0 } != nil })
            server.rooms.pardon()
            return keys.withLock { $0 } ?? nil
        }
        let room = server.room("den", homeOn: 1)
        #expect(notStored() == [])
        store.hold()
        let made = begin(server) { $0.createElement(photo("http://a"), clientID: nil, at: place(room), $1) }
        #expect(try eventually { try server.onShard(1) { $0.home.rooms[RoomID(room)]?.isStored == false } })
        #expect(notStored() == [#""http://a""#])
        store.release()
        #expect(eventually { made() != nil })
        #expect(notStored() == [])
        server.hub.condemned.set([#""http://b""#], of: 3)
        server.rooms.pardon()
        #expect(
            error(server) { $0.createElement(photo("http://b"), clientID: nil, at: place(room), $1) }?.code
                == .validation)
        let id = try #require(JSONReader(made()?.get().json ?? [])["id"]?.string)
        #expect(
            error(server) { $0.updateElement(id, Array(#"{"imageUrl":"http://b"}"#.utf8), at: place(room), $1) }?.code
                == .validation)
        server.hub.condemned.set([], of: 3)
        _ = try element(server) { $0.createElement(photo("http://b"), clientID: nil, at: place(room), $1) }
        server.transport.stop()
        #expect(notStored() == nil)
        store.close()
    }

    // MARK: Nobody is left waiting

    @Test func whoeverAsksAServerThatHasStoppedOrStopsIsAnswered() throws {
        let store = try TestStore()
        let server = try RelayServer(store: store)
        store.hold()
        let waiting = begin(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("r")]?.isStored == false } })
        server.transport.stop()
        #expect(error(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }?.code == .server)
        store.release()
        store.close()
        #expect(eventually { waiting() != nil })
    }

    /// A full mailbox dropped the contents of rooms that were read, and answers of the directory: such joins were never
    /// answered.
    @Test func aFullMailboxRefusesWhatIsAskedAndTakesWhatIsAnswered() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", #"{"roomId":"slow"}"#)
        #expect(keeper.waits(for: "slow"))
        let jam = try Jam(server, shard: 0)
        #expect(error(server) { $0.createElement(note, clientID: nil, at: place("r"), $1) }?.code == .server)
        keeper.answer("slow")
        jam.end()
        #expect(try ada.ack(join)["ok"]?.bool == true)
    }
}
