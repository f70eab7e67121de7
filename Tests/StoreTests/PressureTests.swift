import Foundation
import Testing
import Threads

@testable import Store

/// What happens when more is asked of a store than it can do, or when it is closed.
@Suite("A store under pressure", .timeLimit(.minutes(1)))
struct PressureTests {
    @Test("refuses at once what it has no room for, and nothing else")
    func overloaded() async throws {
        let scratch = try Scratch()
        var limits = StoreLimits.quick
        limits.waitingJobsMax = 10
        limits.groupJobsMax = 10
        let store = try DatabaseStore(.directory(scratch.path), limits: limits)
        let (gate, entered) = (Gate(), Gate())
        store.write(then: { (_: Result<Void, StoreError>) in }) { _ in
            entered.open()
            gate.wait()
        }
        entered.wait()
        let told = Monitor<[UInt64: Result<UInt64, StoreError>]>([:])
        var log = SampleLog()
        for number in 1...15 as ClosedRange<UInt64> {
            store.append([log.created("e\(number)")], to: "r") { result in told.withLock { $0[number] = result } }
        }
        #expect(told.withLock { $0 } == Dictionary(uniqueKeysWithValues: (11...15).map { ($0, .failure(.overloaded)) }))
        #expect(store.counters.refusedJobs == 5 && store.counters.waitingJobs == 10)
        gate.open()
        try await eventually("the others are not stored") { told.withLock { $0.count } == 15 }
        #expect(told.withLock { $0[10] } == .success(10))
        #expect(try await store.loaded()?.seq == 10)
        #expect(store.health.isGood)
        store.close()
    }

    @Test("refuses bytes beyond its bound, but takes one large job when it has nothing else")
    func bytes() async throws {
        var limits = StoreLimits.quick
        limits.waitingBytesMax = 10_000
        limits.groupBytesMax = 10_000
        try await withStore(limits: limits) { store in
            var log = SampleLog()
            let text = "{\"x\":\"\(String(repeating: "x", count: 20_000))\"}"
            let seq = try await store.appended([log.entry("x", text)])
            #expect(seq == 1)
        }
    }

    @Test("stores and answers what waits before it closes, and refuses what comes after", arguments: Backend.allCases)
    func close(backend: Backend) async throws {
        let scratch = try Scratch()
        let store = try backend.open(scratch)
        let told = Monitor<[Result<UInt64, StoreError>]>([])
        var log = SampleLog()
        for _ in 0..<500 {
            store.append([log.created("e\(log.seq)")], to: "r") { result in told.withLock { $0.append(result) } }
        }
        store.close()
        #expect(told.withLock { $0 } == (1...500).map { .success($0) })
        await #expect(throws: StoreError.closed) { try await store.appended([log.entry()]) }
        await #expect(throws: StoreError.closed) { _ = try await store.loaded() }
        store.close()
        if backend == .file {
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == [
                    "rooms.db", "rooms.lock",
                ])
            let again = try backend.open(scratch)
            #expect(try await again.loaded()?.seq == 500)
            again.close()
        }
    }

    @Test("undoes a job that is refused, and stores the others of its group")
    func refused() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        try await store.people("ann")
        let gate = Gate()
        store.write(then: { (_: Result<Void, StoreError>) in }) { _ in gate.wait() }
        let answers = Monitor<[String]>([])
        for (id, member) in [("a", "ann"), ("b", "nobody"), ("c", "ann")] {
            store.createRoom(NewRoom(id: id, creator: "ann", members: [member], at: 5)) { result in
                answers.withLock { $0.append("\(id) \((try? result.get()) != nil)") }
            }
        }
        gate.open()
        try await eventually("somebody is not told") { answers.withLock { $0.count } == 3 }
        #expect(answers.withLock { $0 } == ["a true", "b false", "c true"])
        let page: Page<RoomSummary> = try await told { store.rooms(of: "ann", PageRequest(), then: $0) }
        #expect(Set(page.items.map(\.id)) == ["a", "c"])
        store.close()
    }
}
