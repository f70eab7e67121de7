import Rooms
import Sessions
import Store
import Testing
import Wire

@testable import Relay

/// Messages between nodes: what is read is what was written, and no bytes make a node crash.
@Suite struct LinkCodecTests {
    private static let room = RoomID("a room\0 with ü")
    private static let connection = ConnectionID(node: 63, shard: 1_023, number: 1 << 47)
    private static let person = Person(id: "ada", profile: Array(#"{"id":"ada"}"#.utf8))
    private static let call = SocketCall(ackID: 7, attachments: [[1, 2], []])
    private static let error = RoomError(.conflict, "It is taken.", details: [1])
    private static let returning = ReturningRoom(id: room, incarnation: 1 << 47, membership: 9)
    private static let pid = SessionID(node: 5, shard: 3)

    private static let caret = Caret(elementID: "e", position: 1)

    private static var element: Element {
        Element(
            stored: "e", kind: .photo, createdBy: [34], createdAt: 12, values: Element.noValues, version: 3,
            updatedAt: nil,
            updatedBy: [])
    }

    private static var trail: Trail {
        var trail = Trail()
        trail.joined(1, incarnation: 2, at: 3)
        trail.wrote(1, incarnation: 2, after: 3, upTo: 9)
        return trail
    }

    private static var lost: LostClient {
        LostClient(
            sid: pid, pid: pid, person: "ada", opened: .now, rooms: [returning],
            endings: [LostClient.Ending(id: room, argument: [1], membership: 2, seq: 3)], trail: trail)
    }

    private static var claim: RecoveryClaim {
        RecoveryClaim(
            pid: pid, person: "ada", opened: .now, offset: LogOffset(seq: 1, incarnation: 2, membership: 3), node: 9,
            shard: 1, number: 4)
    }

    /// A room with a participant who has moved, and its newest delta.
    private static func delta() throws -> (delta: RoomDelta, state: RoomState, snapshot: RoomDelta) {
        var room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits())
        _ = try room.join(connection, person, at: Moment(monotonic: 0, unixSeconds: 0))
        _ = room.takeDelta()
        let (x, y, elementID): ([UInt8], [UInt8], [UInt8]) = (Array("1.5".utf8), [50], Array(#""e""#.utf8))
        try room.moveTouch(of: connection, x: x.span, y: y.span, elementID: elementID.span)
        let now = Moment(monotonic: 0, unixSeconds: 0)
        let note = Room.Creation(kind: .note, values: Element.noValues)
        _ = try room.create(note, by: connection, newID: "note", at: now)
        _ = try room.edit(Self.edit("note"), by: room.author(connection), at: now)
        try room.setCaret(Caret(elementID: "note", position: 1, anchor: 0, version: 2), of: connection)
        let other = ConnectionID(shard: 0, number: 1)
        _ = try room.join(other, Person(id: "bob", profile: [123, 125]), at: Moment(monotonic: 0, unixSeconds: 0))
        guard let delta = room.takeDelta() else { throw RecordFault() }
        return (delta, room.state(), room.snapshot())
    }

    private static func edit(_ id: String) -> Room.Edit {
        Room.Edit(elementID: id, version: 1, changes: TextEdit([.insert([UInt16]("ü𝄞"))]), clientID: "k")
    }

    private static func answers(_ outcome: ElementOutcome) -> [Questions.Answer] {
        [
            .outcome(.done), .outcome(.notInUse), .outcome(.refused(error)), .unavailable, .people(["a", "b"]),
            .stored(nil), .stored(error), .element(.success(outcome)), .element(.failure(error)), .media(["m"]),
            .count(3),
        ]
    }

    private static let sights: [HomeMessage] = [
        .sight(node: 3, nil), .sight(node: 63, SquareSet([])),
        .sight(node: 0, SquareSet([ViewArea(x: -3, y: 1e14, width: 800, height: 5)])),
    ]

    private static let ofOperators: [RelayMessage] = [
        .order(.disconnect(ConnectionsOf("ada")), question: 1 << 60),
        .order(.disconnect(ConnectionsOf("ada", session: "s")), question: 2),
        .order(.ban(Ban(BanSubject(.address, "192.0.2.1"), reason: "r", madeAt: 1, endsAt: 2)), question: 3),
        .order(.lift(BanSubject(.person, "ada")), question: 4), .order(.tell([123, 125]), question: 5),
        .consult([1, 2], question: 6), .answer(7, .told([3])), .condemned(["a", "b"], question: 8),
        .condemned([], question: 0),
    ]

    private static func messages() throws -> [RelayMessage] {
        let (delta, state, snapshot) = try delta()
        var parcel = TouchParcel(room)
        let (x, y, none, elementID): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([49], [50], [], [34, 34])
        parcel.append(of: connection, slot: -1, x: x.span, y: y.span, elementID: none.span)
        parcel.append(of: connection, slot: 3, x: x.span, y: y.span, elementID: elementID.span)
        let entry = Entry(
            connection: connection, person: person, room: room, purpose: .join(call), budget: nil, mark: .max,
            info: [123], touchFollows: true)
        let back = Entry(
            connection: connection, person: person, room: room, purpose: .goOn(returning, since: nil), budget: nil)
        let creation = Room.Creation(kind: .note, values: Element.noValues, clientID: "c")
        let asker = ElementAsker.member(connection, .elementCreate, call)
        let outcome = ElementOutcome(element: element, roomJSON: [34, 34], isNew: false, isDeletion: true)
        let changes: [[UInt8]?] = Element.Field.allCases.map { $0 == .content ? nil : [UInt8($0.rawValue)] }
        let entries = NodeEntries(
            snapshot: snapshot, seq: 4, idJSON: [34], incarnation: 5, state: state,
            items: [
                NodeEntries.Item(connection: connection, purpose: .join(call), slot: 1, told: .state(listed: [1])),
                NodeEntries.Item(
                    connection: connection, purpose: .goOn(returning, since: 3), slot: 1, told: .missed(delta.entries)),
            ])
        let homes: [HomeMessage] =
            [
                .enter(entry), .enter(back), .leave(connection, .forGood), .leave(connection, .entersAgain),
                .endTouch(connection, number: 7), .change(.create(creation), asker),
                .change(.update("e", changes, version: 2), asker), .caret(connection, nil), .caret(connection, caret),
                .change(.update("e", changes, version: nil, baseVersion: 3), asker), .change(.edit(edit("e")), asker),
                .change(.delete("e"), .person("ada", question: .max)),
                .changeFromOutside(.create(json: [1], clientID: nil), info: [2], asker),
                .changeFromOutside(.update("e", json: [1]), info: [2], asker),
                .changeFromOutside(.delete("e"), info: [2], asker), .permissionsChanged, .foundNext,
            ]
            + [
                RoomCommand.rename("n"), .setInfo([1]), .close(reason: "r"), .expel("p", reason: "r"),
                .tellAdded([1], info: [2]), .tellRemoved("p", info: [2]), .connectedPeople, .whenStored,
                .startRecording("id", by: "p"), .stopRecording("id"),
            ].map { .command($0, question: 1 << 60) }
        let clients: [ClientMessage] = [
            .notEntered(.join(call), room, error), .enterLater(returning, milliseconds: 5), .lookUpAgain(entry),
            .changed(call, outcome), .refused(.touchEnd, call, error), .evicted(room, reason: "r", error),
        ]
        let outposts: [OutpostMessage] =
            [.delta(delta), .entered(entries), .isFull(true), .changed(connection), .notHome, .givenAway]
            + [.endStored(connection, number: 8)] + clients.map { .client(connection, $0) }
        let returns: [ReturnsMessage] = [
            .claim(claim), .claimAgain(claim), .settled(pid), .connected(pid, nil), .connected(pid, connection),
            .ended(pid, connection, lost), .ended(pid, connection, nil), .givenBack(lost),
            .notStood(SeatRemoval(pid: pid, room: nil)), .notStood(SeatRemoval(pid: pid, room: room)),
        ]
        let stood = EdgeMessage.standAgain(connection, SeatRemoval(pid: pid, room: room))
        let edges = [.takeOver(connection, claim), .claimAnswered(3, lost), .claimAnswered(3, nil), stood]
        return [.touches([parcel]), .personal(PersonalEvent("inbox:message", to: "ada", [123, 125]))] + ofOperators
            + (homes + sights).map { .home(room, $0) }
            + outposts.map { .outpost(room, $0, from: 1) }
            + answers(outcome).map { .answer(1 << 59, $0) } + returns.map { .returns($0) }
            + edges.map { .far(shard: 3, $0) }
    }

    @Test func whatIsWrittenIsRead() throws {
        for message in try Self.messages() {
            let record = try #require(LinkCodec.encode(message), "\(message)")
            let again = try #require(LinkCodec.encode(try LinkCodec.decode(record, from: 1)))
            // The age of a session grows by the time that this takes.
            #expect(again.count == record.count || "\(message)".contains("opened"), "\(message)")
            if !"\(message)".contains("opened") { #expect(again == record, "\(message)") }
        }
    }

    @Test func aDeltaArrivesWhole() throws {
        let delta = try Self.delta().delta
        let record = try #require(LinkCodec.encode(.outpost(Self.room, .delta(delta), from: 1)))
        guard case .outpost(let room, .delta(let read), from: 1) = try LinkCodec.decode(record, from: 1) else {
            Issue.record("it is another message")
            return
        }
        #expect(room == Self.room && read.frames == delta.frames && read.touches == delta.touches)
        #expect(read.entries == delta.entries && read.tick == delta.tick && read.roomJSON == delta.roomJSON)
        #expect(read.carets == delta.carets && delta.carets.count == 1 && delta.entries.contains { !$0.edit.isEmpty })
        #expect(read.endedTouches == delta.endedTouches && read.logByteCount == delta.logByteCount)
        #expect(!delta.touches.isEmpty && !delta.entries.isEmpty)
    }

    @Test func aDeltaForANodeSaysWhoIsAway() throws {
        var room = Room(id: "r", info: Array("{}".utf8), limits: RoomLimits())
        _ = try room.join(Self.connection, Self.person, at: Moment(monotonic: 0, unixSeconds: 0))
        let (x, y, none): ([UInt8], [UInt8], [UInt8]) = ([57], [50], [])
        try room.moveTouch(of: Self.connection, x: x.span, y: y.span, elementID: none.span)
        _ = room.takeDelta()
        var sight = NodeSight(room)
        sight.see(SquareSet([]))
        room.tickAnyway()
        let taken = room.takeDelta()
        let delta = sight.take(try #require(taken), of: room)
        let record = try #require(LinkCodec.encode(.outpost(Self.room, .delta(delta), from: 1)))
        guard case .outpost(_, .delta(let read), from: 1) = try LinkCodec.decode(record, from: 1) else {
            Issue.record("it is another message")
            return
        }
        #expect(read.away == [0] && read.touches == delta.touches && read.frames == delta.frames)
    }

    @Test func messagesOfOneNodeStayThere() {
        #expect(LinkCodec.encode(.home(Self.room, .view(Self.connection, .everything))) == nil)
        #expect(LinkCodec.encode(.homes(.storeIsGood)) == nil)
        #expect(LinkCodec.encode(.edge(.welcomeMore)) == nil)
        #expect(LinkCodec.encode(.peer(.lost(1))) == nil)
        #expect(LinkCodec.encode(.home(Self.room, .loaded(.success(.elsewhere(1))))) == nil)
    }

    @Test func noBytesMakeANodeCrash() throws {
        var random = SystemRandomNumberGenerator()
        for message in try Self.messages() {
            let record = try #require(LinkCodec.encode(message))
            for count in record.indices {
                #expect(throws: RecordFault.self) { try LinkCodec.decode(Array(record.prefix(count)), from: 1) }
            }
            #expect(throws: RecordFault.self) { try LinkCodec.decode(record + [0], from: 1) }
            for _ in 0..<200 {
                var changed = record
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                // Whatever it says, it is read or refused.
                if let read = try? LinkCodec.decode(changed, from: 1) { _ = LinkCodec.encode(read) }
            }
        }
    }
}
