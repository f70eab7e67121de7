import Testing

@testable import RoomsClient

@Suite("The pace of touches")
struct TouchPaceTests {
    /// A hand that moves each millisecond, at a room that ticks so often and is so far away: how many positions went out in a
    /// second, and the age of the newest one with each tick, after the first seconds.
    private func move(interval: Int64, way: Int64) -> (sent: Int64, ages: [Int64]) {
        var pace = TouchPace()
        var coming: [Int64: [(inout TouchPace) -> Void]] = [:]
        var arriving: [Int64: Int64] = [:]
        var (position, tickedAt) = (Int64?.none, Int64.min / 2)
        var (sent, ages) = (Int64(0), [Int64]())
        for now in Int64(0)..<6_000 {
            for act in coming.removeValue(forKey: now) ?? [] { act(&pace) }
            if let arrived = arriving.removeValue(forKey: now) { position = arrived }
            if let newest = position, now - tickedAt >= interval {
                if now > 2_000 { ages.append(now - newest) }
                (tickedAt, position) = (now, nil)
                coming[now + way, default: []].append { $0.ticked(at: now + way, interval: interval) }
            }
            guard pace.wait(at: now) <= 0 else { continue }
            if now > 2_000 { sent += 1 }
            arriving[now + way] = now
            if pace.sent(at: now) {
                coming[now + 2 * way, default: []].append { $0.answered(after: 2 * way) }
            }
        }
        return (sent / 4, ages)
    }

    @Test("One position goes for each tick, just before it, however far the server is", arguments: [1, 20, 80])
    func paced(way: Int64) {
        let (sent, ages) = move(interval: 50, way: way)
        #expect((18...22).contains(sent))
        #expect(ages.max() ?? .max <= way + 8)
    }

    @Test("A room that ticks often takes each position at once, as does one that was quiet")
    func unpaced() {
        #expect(move(interval: 4, way: 1).sent > 900)
        var pace = TouchPace()
        pace.ticked(at: 0, interval: 50)
        pace.answered(after: 2)
        #expect(pace.wait(at: 10) > 0 && pace.wait(at: 1_000) <= 0)
    }
}

/// A session that moves as soon as it is in its room.
private final class Mover: ClientSessionHandler, @unchecked Sendable {
    private let loop: ClientLoop
    private let move: (ClientSession) -> Void
    private var session: ClientSession?

    init(_ loop: ClientLoop, _ move: @escaping (ClientSession) -> Void) {
        self.loop = loop
        self.move = move
    }

    func start(_ url: String) throws {
        let session = try ClientSession(
            url, configuration: ClientConfiguration(), tokens: .fixed("ada"), loop: loop, handler: self)
        self.session = session
        loop.post { [self] in
            self.session?.connect()
            self.session?.join("lobby") { [self] _ in self.session.map(move) }
        }
    }

    func end() {
        loop.post { [self] in
            session?.close()
            session = nil
        }
        loop.stop()
    }

    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {}
    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {}
    func sessionClosed(_ session: ClientSession, _ error: ClientError) {}
    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {}
    func session(_ session: ClientSession, moved batch: TouchBatch) {}
    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) {}
    func sessionNeedsToken(_ session: ClientSession) {}
}

/// What a member of the lobby sees of a session that is in it, until an event.
private func seen(until last: RoomsEvent, _ move: @escaping (ClientSession) -> Void) async throws -> [RoomsEvent] {
    let server = try LocalServer()
    let bob = try await participant("bob", server.url)
    try await bob.join("lobby")
    let told = Told(bob)
    let mover = Mover(try ClientLoop(), move)
    try mover.start(server.url)
    try await told.wait { $0 == last }
    let events = await told.all
    mover.end()
    await bob.close()
    return events
}

@Suite("What a session tells")
struct AnswerTests {
    @Test("An answer to a change may lead to the next change at once, and so may the end of its room")
    func chained() async throws {
        let events = try await seen(until: .participantLeft(room: "lobby", userID: "ada")) { session in
            func make(_ content: String, _ then: @escaping () -> Void) {
                let note = NewElement(.note, x: 1, y: 2, width: 90, height: 80, content: content)
                session.create(note, in: "lobby") { _ in then() }
            }
            make("first") {
                make("second") { session.leave("lobby") }
                make("third") { session.move(in: "lobby", to: Touch(x: 1, y: 2)) }
            }
        }
        let contents = events.compactMap { event in
            if case .elementCreated(let element) = event { element.content } else { nil }
        }
        #expect(contents.prefix(2) == ["first", "second"])
    }
}

@Suite("Touches that wait for the room's tick")
struct WaitingTouchTests {
    @Test("A position that waits is not sent behind a newer one that need not wait, because the room has become quiet")
    func replaced() async throws {
        let events = try await seen(until: .touchEnded(room: "lobby", userID: "ada")) { session in
            var pace = TouchPace()
            pace.ticked(at: session.loop.now, interval: 1_000)
            pace.answered(after: 0)
            session.paces["lobby"] = pace
            session.move(in: "lobby", to: Touch(x: 1, y: 0))
            session.paces["lobby"] = nil
            session.move(in: "lobby", to: Touch(x: 2, y: 0))
            session.endTouch(in: "lobby")
        }
        let last = events.last { if case .touchMoved = $0 { true } else { false } }
        #expect(last == .touchMoved(room: "lobby", userID: "ada", Touch(x: 2, y: 0)))
    }
}
