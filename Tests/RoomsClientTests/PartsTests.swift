import CSystem
import Glibc
import Testing
import Threads

@testable import RoomsClient

@Suite("Parts of a client")
struct PartsTests {
    @Test("waits grow, are bounded, and differ")
    func backoff() {
        var backoff = Backoff(firstMilliseconds: 100, maxMilliseconds: 1_000)
        let most: [Int64] = [100, 200, 400, 800, 1_000, 1_000]
        for bound in most { #expect((bound / 2...bound).contains(backoff.next())) }
        for _ in 0..<200 { #expect(backoff.next() <= 1_000) }
        backoff.reset()
        #expect(backoff.next() <= 100)
        let waits = (0..<100).map { _ in
            var backoff = Backoff(firstMilliseconds: 10_000, maxMilliseconds: 10_000)
            return backoff.next()
        }
        #expect(Set(waits).count > 50)
    }

    @Test("addresses are taken apart")
    func addresses() throws {
        let plain = try ServerURL("http://example.org")
        #expect((plain.host, plain.port, plain.isSecure) == ("example.org", 80, false))
        #expect((plain.path, plain.authority) == ("/socket.io/", "example.org"))
        let full = try ServerURL("wss://[::1]:8443/rooms/io")
        #expect((full.host, full.port, full.isSecure, full.isAddress) == ("::1", 8_443, true, true))
        #expect((full.path, full.authority) == ("/rooms/io/", "[::1]:8443"))
        #expect(plain.target("polling", sid: "B1") == "/socket.io/?EIO=4&transport=polling&sid=B1")
        #expect(
            plain.target("websocket", sid: nil, room: "plans & ä")
                == "/socket.io/?EIO=4&transport=websocket&room=plans%20%26%20%C3%A4")
    }

    @Test("the first room that is wanted is the one that load balancers are told")
    func firstRoom() {
        var rooms = JoinedRooms()
        #expect(rooms.first == nil)
        for id in ["c", "a", "b"] { rooms.want(id) { _ in } }
        #expect(rooms.first == "c")
        rooms.remove("c", .closed)
        #expect(rooms.first == "a")
        rooms.fail(.closed)
        #expect(rooms.first == nil)
    }

    @Test("timers fire in their order, and only the armed ones")
    func timers() {
        var heap = TimerHeap()
        let timers = (0..<300).map { _ in ClientTimer() }
        var deadlines: [Int: Int64] = [:]
        for round in 0..<5_000 {
            let index = Int.random(in: 0..<300)
            if round % 3 == 0 {
                heap.cancel(timers[index])
                deadlines[index] = nil
            } else {
                let deadline = Int64.random(in: 0..<1_000)
                heap.arm(timers[index], at: deadline)
                deadlines[index] = deadline
            }
        }
        #expect(heap.armedCount == deadlines.count)
        var fired: [Int64] = []
        while let next = heap.next(), let timer = heap.take(dueAt: 1_000) {
            fired.append(next)
            let index = timers.firstIndex { $0 === timer } ?? -1
            #expect(deadlines.removeValue(forKey: index) == next)
        }
        #expect(fired == fired.sorted() && deadlines.isEmpty)
    }

    @Test("a job of another thread runs at a time that is not before it was posted")
    func timeOfJobs() async throws {
        let loop = try ClientLoop()
        defer { loop.stop() }
        let (postedAt, ranAt) = await withCheckedContinuation { done in
            loop.post { _ = loop.add(SlowDescriptor(loop) { done.resume(returning: $0) }, wantsToWrite: false) }
        }
        #expect(ranAt >= postedAt)
    }

    @Test(
        "of one element only one operation is under way, and what comes after it waits",
        arguments: ["RATE_LIMITED", "SERVER_ERROR", "SHUTTING_DOWN", "UNAUTHORIZED"])
    func operations(passing: String) {
        var queue = OperationQueue(countMax: 4)
        var done: [String] = []
        func append(_ key: String, _ name: String) -> Bool {
            queue.append(
                Operation(kind: .update(version: nil), roomID: "r", key: key, argument: Array(name.utf8)) { _ in
                    done.append(name)
                })
        }
        func take() -> (UInt64, String)? {
            queue.take { _ in true }.map { ($0.number, String(decoding: $0.operation.argument, as: UTF8.self)) }
        }
        #expect(append("a", "a1") && append("a", "a2") && append("b", "b1") && append("a", "a3") && !append("c", "c1"))
        let answer = Answer(json: [], element: nil, version: nil)
        let first = take()
        #expect(first?.1 == "a1")
        #expect(take()?.1 == "b1")
        #expect(take() == nil)
        // Refused for now: it is the first again.
        let refusal = ClientError.refused(Refusal(code: passing, message: ""))
        #expect(queue.answered(first?.0 ?? 0, .failure(refusal), own: nil) == .again)
        #expect(take()?.1 == "a1")
        // The connection was lost: all over again, in order.
        queue.interrupt()
        let again = [take(), take()]
        #expect(again.map { $0?.1 } == ["a1", "b1"])
        for item in again { #expect(queue.answered(item?.0 ?? 0, .success(answer), own: nil) == .finished) }
        let second = take()
        #expect(second?.1 == "a2")
        #expect(queue.answered(second?.0 ?? 0, .success(answer), own: nil) == .finished)
        #expect(take()?.1 == "a3")
        queue.fail(.closed)
        #expect(done == ["a1", "b1", "a2", "a3"] && queue.count == 0)
    }
}

/// Takes its time when it is ready, and posts a job in the same turn, as another thread would at that moment.
private final class SlowDescriptor: LoopDescriptor {
    let fd = eventfd(1, 0)
    private let loop: ClientLoop
    private let done: @Sendable ((postedAt: Int64, ranAt: Int64)) -> Void

    init(_ loop: ClientLoop, done: @escaping @Sendable ((postedAt: Int64, ranAt: Int64)) -> Void) {
        self.loop = loop
        self.done = done
    }

    deinit {
        close(fd)
    }

    func ready(_ readiness: LoopReadiness) {
        var count: UInt64 = 0
        guard read(fd, &count, MemoryLayout<UInt64>.size) > 0 else { return }
        Clock.sleep(milliseconds: 50)
        let (postedAt, loop, done) = (Clock.milliseconds(), loop, done)
        loop.post { done((postedAt, loop.now)) }
    }
}
