import Testing
import Threads

@testable import API

@Suite("Work that several ask for", .timeLimit(.minutes(1)))
struct SharedWorkTests {
    /// Work that goes on until it is told its result.
    private final class Slow: Sendable {
        private let (results, teller) = AsyncStream.makeStream(of: Int.self)
        let begun = Locked(0)

        func run() async -> Int {
            begun.withLock { $0 += 1 }
            return await results.first { _ in true } ?? 0
        }

        func tell(_ result: Int) { teller.yield(result) }
    }

    @Test("is done once, and lets a bounded number of them wait")
    func bounded() async {
        let (shared, slow) = (SharedWork<Int>(waitingMax: 3), Slow())
        let (refused, tell) = AsyncStream.makeStream(of: Void.self)
        let results = await withTaskGroup(of: Int?.self) { group in
            for _ in 1...5 {
                group.addTask {
                    let result = await shared.result(of: "a") { await slow.run() }
                    if result == nil { tell.yield() }
                    return result
                }
            }
            // Two find no place, and the others have one until they get the result.
            var refusals = refused.makeAsyncIterator()
            for _ in 1...2 { await refusals.next() }
            // Other work is not held up.
            #expect(await shared.result(of: "b") { 2 } == 2)
            slow.tell(7)
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(results.filter { $0 == 7 }.count == 3 && results.filter { $0 == nil }.count == 2)
        #expect(slow.begun.withLock { $0 } == 1)
        #expect(await shared.result(of: "a") { 8 } == 8)
    }
}
