import Testing

@testable import Relay

@Suite struct RoundRobinTests {
    @Test func linesTakeTurnsAndKeepTheirOrder() {
        var waiting = RoundRobin<String, Int>()
        for item in 0..<200 { waiting.append(item, for: "long") }
        for item in 0..<2 { waiting.append(1_000 + item, for: "short") }
        #expect((0..<5).compactMap { _ in waiting.next() } == [0, 1_000, 1, 1_001, 2])
        waiting.append(2_000, for: "short")
        #expect((0..<3).compactMap { _ in waiting.next() } == [3, 2_000, 4])
        var rest: [Int] = []
        while let next = waiting.next() { rest.append(next) }
        #expect(rest == Array(5..<200) && waiting.isEmpty)
    }

    @Test func whatIsTakenIsLetGo() {
        final class Held {}
        var line = Fifo<Held>()
        weak var first: Held?
        do {
            let held = Held()
            first = held
            line.append(held)
            line.append(Held())
        }
        #expect(first != nil)
        _ = line.takeFirst()
        #expect(first == nil && !line.isEmpty)
    }
}
