import Dispatch
import RoomsServer
import Testing

@testable import RoomsBots
@testable import RoomsClient

@Suite("Guests of a demo", .serialized)
struct GuestTests {
    private static let area = GuestArea(x: 0, y: 0, width: 600, height: 400)

    private func guests(_ server: LocalServer, _ limit: (inout Guests.Limits) -> Void = { _ in }) throws -> Guests {
        var limits = Guests.Limits()
        limits.aloneMilliseconds = 600
        limit(&limits)
        return try Guests("http://127.0.0.1:\(server.port)/socket.io/", limits: limits)
    }

    @Test("come to a person, move where the person looks, and write no more than a note")
    func come() async throws {
        let server = try LocalServer()
        let watcher = try await participant("watcher", server.url)
        let told = Told(watcher)
        try await watcher.join("lobby")
        // Guests that are slow to come have not been alone.
        let guests = try guests(server) { $0.aloneMilliseconds = 1 }
        defer { guests.stop() }
        #expect(guests.invite(3, to: "lobby", Self.area) == .success(3))
        let isWritten = await eventually(within: 20) {
            await told.count { if case .elementCreated = $0 { true } else { false } } == 1
        }
        #expect(isWritten)
        let haveMoved = await eventually(within: 20) {
            await told.count { if case .touchMoved = $0 { true } else { false } } > 20
        }
        #expect(haveMoved)
        let places = await told.all.compactMap { event -> Touch? in
            if case .touchMoved(_, _, let touch) = event { touch } else { nil }
        }
        #expect(places.allSatisfy { abs($0.x) <= 301 && abs($0.y) <= 201 })
        let names = await watcher.room("lobby")?.participants.values.map(\.name).filter { $0.hasPrefix("Bot ") }
        #expect(Set(names ?? []).count == 3)
    }

    @Test("leave when the last person has left, and take their note along")
    func leave() async throws {
        let server = try LocalServer()
        let watcher = try await participant("watcher", server.url)
        let told = Told(watcher)
        try await watcher.join("lobby")
        let guests = try guests(server)
        defer { guests.stop() }
        _ = guests.invite(1, to: "lobby", Self.area)
        let isWritten = await eventually(within: 20) {
            await told.count { if case .elementCreated = $0 { true } else { false } } == 1
        }
        #expect(isWritten)
        try await watcher.leave("lobby")
        let areGone = await eventually { guests.count == 0 }
        #expect(areGone)
        try await watcher.join("lobby")
        // The guest has said so, and the server has perhaps not heard it yet.
        let isEmpty = await eventually {
            let room = await watcher.room("lobby")
            return room?.participants.count == 1 && room?.elements.isEmpty == true
        }
        #expect(isEmpty)
    }

    /// A user in a room, and a guest there who has written its note.
    private func note(_ server: LocalServer) async throws -> (watcher: RoomsClient, guests: Guests, note: String) {
        let watcher = try await participant("watcher", server.url)
        try await watcher.join("lobby")
        let guests = try guests(server)
        _ = guests.invite(1, to: "lobby", Self.area)
        let isWritten = await eventually(within: 20) {
            // The guest may hear of its note later than the user.
            let isTold = await watcher.room("lobby")?.elements.count == 1
            return await guests.noteCount(in: "lobby") == 1 && isTold
        }
        #expect(isWritten)
        return (watcher, guests, try #require(await watcher.room("lobby")?.elements.keys.first))
    }

    @Test("leave a note that a user has changed")
    func leaveNote() async throws {
        let server = try LocalServer()
        let (watcher, guests, note) = try await note(server)
        defer { guests.stop() }
        try await watcher.update(note, in: "lobby", ElementChange(content: "Mine"))
        let hasHeard = await eventually { await guests.noteCount(in: "lobby") == 0 }
        #expect(hasHeard)
        guests.sendAway(from: "lobby")
        try await isLeft(note, "Mine", guests, watcher)
    }

    @Test("leave a note that a user has changed before they hear of it")
    func leaveNoteUnheard() async throws {
        let server = try LocalServer()
        let (watcher, guests, note) = try await note(server)
        defer { guests.stop() }
        let isChanged = DispatchSemaphore(value: 0)
        let house = guests.house
        guests.loop.post {
            isChanged.wait()
            house.value.sendAway(from: "lobby")
        }
        try await watcher.update(note, in: "lobby", ElementChange(content: "Mine"))
        isChanged.signal()
        try await isLeft(note, "Mine", guests, watcher)
    }

    private func isLeft(_ note: String, _ content: String, _ guests: Guests, _ watcher: RoomsClient) async throws {
        let isAlone = await eventually { await watcher.room("lobby")?.participants.count == 1 && guests.count == 0 }
        #expect(isAlone)
        #expect(await watcher.room("lobby")?.elements[note]?.content == content)
    }

    @Test("leave after a while, even if users are there")
    func stay() async throws {
        let server = try LocalServer()
        let watcher = try await participant("watcher", server.url)
        try await watcher.join("lobby")
        let guests = try guests(server) { $0.stayMilliseconds = 5_000 }
        defer { guests.stop() }
        _ = guests.invite(2, to: "lobby", Self.area)
        let haveCome = await eventually { await watcher.room("lobby")?.participants.count == 3 }
        #expect(haveCome)
        let areGone = await eventually { await watcher.room("lobby")?.participants.count == 1 && guests.count == 0 }
        #expect(areGone)
    }

    @Test("are few in a room and few on the server")
    func bounds() async throws {
        let server = try LocalServer()
        let guests = try guests(server) {
            $0.inRoomMax = 3
            $0.countMax = 5
            $0.aloneMilliseconds = 4_000
        }
        defer { guests.stop() }
        #expect(guests.invite(9, to: "one", Self.area) == .success(3))
        #expect(guests.invite(1, to: "one", Self.area) == .failure(.roomIsFull))
        #expect(guests.invite(9, to: "two", Self.area) == .success(2))
        #expect(guests.invite(1, to: "three", Self.area) == .failure(.serverIsFull))
        // No user is there to see them.
        let areGone = await eventually { guests.count == 0 }
        #expect(areGone)
        #expect(guests.invite(1, to: "three", Self.area) == .success(1))
    }

    @Test("keep to places that make sense, whatever they are told")
    func areas() {
        let odd = GuestArea(x: .nan, y: -.infinity, width: 1e300, height: -5)
        #expect(odd.width == 2_000 && odd.height == 200)
        #expect(odd.left.isFinite && odd.top.isFinite)
    }
}
