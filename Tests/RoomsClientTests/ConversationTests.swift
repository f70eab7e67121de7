import RoomsClient
import Testing

@Suite("A client")
struct ConversationTests {
    @Test("joins, moves, and tells what others do", arguments: ClientTransport.allCases)
    func conversation(_ transport: ClientTransport) async throws {
        let server = try LocalServer()
        let ada = try await participant("ada", server.url) { $0.transport = transport }
        let bob = try await participant("bob", server.url) { $0.transport = transport }
        let told = Told(bob)
        try await bob.join("lobby")
        let room = try await ada.join("lobby")
        #expect(room.own.id == "ada")
        #expect(Set(room.participants.keys) == ["ada", "bob"])
        try await told.wait { $0.isJoining("ada") }

        await ada.move(in: "lobby", to: Touch(x: 0.25, y: 0.5))
        await ada.move(in: "lobby", to: Touch(x: 0.5, y: 0.75, elementID: "e"))
        await ada.endTouch(in: "lobby")
        try await told.wait { $0 == .touchEnded(room: "lobby", userID: "ada") }
        let last = await told.all.last { if case .touchMoved = $0 { true } else { false } }
        #expect(last == .touchMoved(room: "lobby", userID: "ada", Touch(x: 0.5, y: 0.75, elementID: "e")))

        let note = NewElement(.note, x: 1, y: 2.5, width: 3, height: 4, content: "Gr\u{FC}\u{DF}e \"\u{1F600}\"")
        let created = try await ada.create(note, in: "lobby")
        #expect(created.content == note.content && created.version == 1 && created.createdBy == "ada")
        try await told.wait { $0 == .elementCreated(created) }
        let updated = try await bob.update(created.id, in: "lobby", ElementChange(x: 7), ifVersion: 1)
        #expect(updated.x == 7 && updated.version == 2)
        await #expect(throws: ClientError.self) {
            try await ada.update(created.id, in: "lobby", ElementChange(x: 8), ifVersion: 1)
        }
        await #expect(throws: ClientError.self) { try await ada.delete(created.id, in: "lobby", ifVersion: 1) }
        try await ada.delete(created.id, in: "lobby", ifVersion: 2)
        try await told.wait { $0 == .elementDeleted(room: "lobby", elementID: created.id, version: 3) }
        #expect(await bob.room("lobby")?.elements.isEmpty == true)

        try await ada.leave("lobby")
        try await told.wait { $0 == .participantLeft(room: "lobby", userID: "ada") }
        #expect(await bob.room("lobby")?.participants.keys.sorted() == ["bob"])
        // The upgrade may be slower than all of this.
        let isOnWebSocket = await eventually { await ada.isOnWebSocket == (transport != .polling) }
        #expect(isOnWebSocket)
        await ada.close()
        await bob.close()
    }

    @Test(
        "sees a part of a room, is told who leaves it, and sees the same part after a lost connection",
        arguments: [TouchForm.single, .batches, .binary(decimals: 1)])
    func views(_ form: TouchForm) async throws {
        let server = try LocalServer()
        let ada = try await participant("ada", server.url)
        let bob = try await participant("bob", server.url) { $0.touches = form }
        let told = Told(bob)
        try await ada.join("lobby")
        try await bob.join("lobby")
        func moved(_ x: Double) -> RoomsEvent { .touchMoved(room: "lobby", userID: "ada", Touch(x: x, y: 0.5)) }
        func left(_ x: Double) -> RoomsEvent { .touchLeft(room: "lobby", userID: "ada", Touch(x: x, y: 0.5)) }
        func move(_ x: Double) async { await ada.move(in: "lobby", to: Touch(x: x, y: 0.5)) }
        await move(90_000)
        try await told.wait { $0 == moved(90_000) }
        await bob.setView(RoomView(x: 0, y: 0, width: 800, height: 600), in: "lobby")
        try await told.wait { $0 == left(90_000) }
        #expect(await bob.room("lobby")?.touches.isEmpty == true)
        await move(5)
        try await told.wait { $0 == moved(5) }
        await move(70_000)
        try await told.wait { $0 == left(70_000) }
        await bob.reconnect()
        // The view is set anew after the positions of all, or before them.
        await move(6)
        try await told.wait { $0 == moved(6) }
        await move(60_000)
        try await told.wait { $0 == left(60_000) || $0 == moved(60_000) }
        await bob.setView(nil, in: "lobby")
        await move(50_000)
        try await told.wait { $0 == moved(50_000) }
        await ada.close()
        await bob.close()
    }

    @Test(
        "gets the touches of a tick in one event if it asks for that",
        arguments: [TouchForm.batches, .binary(decimals: 0)], ClientTransport.allCases)
    func batches(_ form: TouchForm, _ transport: ClientTransport) async throws {
        let server = try LocalServer()
        let ada = try await participant("ada", server.url)
        let bob = try await participant("bob", server.url) {
            $0.touches = form
            $0.transport = transport
        }
        let told = Told(bob)
        try await ada.join("lobby")
        try await bob.join("lobby")
        await ada.move(in: "lobby", to: Touch(x: 1, y: 2, elementID: "e"))
        try await told.wait {
            $0 == .touchMoved(room: "lobby", userID: "ada", Touch(x: 1, y: 2, elementID: "e"))
        }
        #expect(await bob.room("lobby")?.touches == ["ada": Touch(x: 1, y: 2, elementID: "e")])
    }

    @Test("is told why the server refuses what it asked for")
    func refusals() async throws {
        let server = try LocalServer { $0.participantsMax = 1 }
        let ada = try await participant("ada", server.url)
        let bob = try await participant("bob", server.url)
        try await ada.join("lobby")
        await #expect { try await bob.join("lobby") } throws: { ($0 as? ClientError)?.refusal?.code == "ROOM_FULL" }
        await #expect { try await bob.emit("room:leave", json: Array("{\"roomId\":\"x\"}".utf8)) } throws: {
            ($0 as? ClientError)?.refusal?.code == "FORBIDDEN"
        }
        await #expect { try await ada.delete("nothing", in: "lobby") } throws: {
            ($0 as? ClientError)?.refusal?.code == "NOT_FOUND"
        }
        await #expect {
            try await ada.create(NewElement(.note, x: 0, y: 0, width: -1, height: 0), in: "lobby")
        } throws: {
            ($0 as? ClientError)?.refusal?.field == "width"
        }
        await #expect {
            try await ada.create(NewElement(.note, x: .nan, y: 0, width: 1, height: 0), in: "lobby")
        } throws: {
            $0 as? ClientError == .badArgument("numbers are finite")
        }
        // A client whose join was refused may join again.
        try await ada.leave("lobby")
        try await bob.join("lobby")
    }

    @Test("that is not referred to any more closes itself")
    func forgotten() async throws {
        let server = try LocalServer()
        let bob = try await participant("bob", server.url)
        let told = Told(bob)
        try await bob.join("lobby")
        do {
            let ada = try await participant("ada", server.url)
            try await ada.join("lobby")
        }
        try await told.wait { $0 == .participantLeft(room: "lobby", userID: "ada") }
    }

    @Test(
        "refuses an address that is none",
        arguments: ["", "ftp://x", "ws://", "ws://h:0", "ws://h:x", "ws://u@h", "ws://h/?a"])
    func addresses(_ url: String) {
        #expect(throws: ClientError.self) { try RoomsClient(url, token: "ada") }
    }

    @Test("says so when no server is there")
    func nobody() async throws {
        let client = try RoomsClient("ws://127.0.0.1:1", token: "ada")
        await #expect(throws: ClientError.timedOut) { try await client.connect(within: .milliseconds(300)) }
        await #expect(throws: ClientError.closed) { try await client.join("lobby") }
    }
}

extension RoomsEvent {
    func isJoining(_ user: String) -> Bool {
        if case .participantJoined(_, let participant) = self { participant.id == user } else { false }
    }
}

extension ClientError {
    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}
