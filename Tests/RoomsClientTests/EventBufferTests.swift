import Testing

@testable import RoomsClient

@Suite("Events on their way to a reader")
struct EventBufferTests {
    private func moved(_ user: String, _ x: Double) -> RoomsEvent {
        .touchMoved(room: "r", userID: user, Touch(x: x, y: 0))
    }

    private func read(_ buffer: EventBuffer, _ count: Int) async -> [RoomsEvent] {
        var events: [RoomsEvent] = []
        for _ in 0..<count { if let event = await buffer.next() { events.append(event) } }
        return events
    }

    @Test("come in order, and of a touch that goes on only the newest position")
    func coalescing() async {
        let buffer = EventBuffer(capacity: 100)
        let ended = RoomsEvent.touchEnded(room: "r", userID: "a")
        for event in [moved("a", 1), moved("b", 1), moved("a", 2), moved("b", 2), ended, moved("a", 3), moved("a", 4)] {
            buffer.push(event) { [] }
        }
        #expect(await read(buffer, 4) == [moved("a", 2), moved("b", 2), ended, moved("a", 4)])
        buffer.push(moved("a", 5)) { [] }
        buffer.push(moved("a", 6)) { [] }
        buffer.finish()
        #expect(await read(buffer, 1) == [moved("a", 6)])
        #expect(await buffer.next() == nil)
    }

    @Test("never fill more than their room; the reader is told what it missed")
    func lag() async {
        let buffer = EventBuffer(capacity: 3)
        let left = (0..<10).map { RoomsEvent.participantLeft(room: "r", userID: "\($0)") }
        for event in left { buffer.push(event) { [] } }
        // Four were given up, twice; two came since.
        #expect(await read(buffer, 3) == [.lagged(missed: 8, []), left[8], left[9]])
        for event in left.prefix(2) { buffer.push(event) { [] } }
        #expect(await read(buffer, 2) == Array(left.prefix(2)))
    }

    @Test("of a thousand movers are a thousand, however long they are not read")
    func crowd() async {
        let buffer = EventBuffer(capacity: 1_000)
        for x in 0..<100 { for user in 0..<1_000 { buffer.push(moved("\(user)", Double(x))) { [] } } }
        buffer.finish()
        let events = await read(buffer, 2_000)
        #expect(events == (0..<1_000).map { moved("\($0)", 99) })
    }

    @Test("that are not sent any more do not hold a cancelled task")
    func cancellation() async {
        let buffer = EventBuffer(capacity: 3)
        let tasks = (0..<20).map { _ in Task { await buffer.next() } }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == nil) }
        buffer.push(moved("a", 1)) { [] }
        #expect(await buffer.next() == moved("a", 1))
    }
}
