import CFaultyDisk
import Foundation
import Testing

@testable import Store

@Suite("The backlog of a room")
struct JournalBacklogTests {
    @Test("has one append under way at a time, and answers a request when its entry is stored")
    func order() {
        var log = SampleLog(seq: 7)
        var backlog = JournalBacklog<String>(storedSeq: 7)
        #expect(backlog.take() == [])
        backlog.add(log.entry())
        #expect(backlog.wait("a", for: 8) == false)
        #expect(backlog.take().map(\.seq) == [8])
        backlog.add(log.entry())
        backlog.add(log.entry())
        #expect(backlog.wait("b", for: 10) == false)
        #expect(backlog.wait("c", for: 8) == false)
        #expect(backlog.take() == [])
        let first = backlog.finish(.success(8))
        #expect(first.stored == ["a", "c"] && first.refused == [] && !first.isLost)
        #expect(backlog.wait("d", for: 8) == true)
        #expect(backlog.storedSeq == 8)
        #expect(backlog.take().map(\.seq) == [9, 10])
        #expect(backlog.finish(.success(10)).stored == ["b"])
        #expect(backlog.isEmpty && backlog.take() == [])
    }

    @Test("answers nobody who does not wait any more, and stores the entry all the same")
    func forgotten() {
        var log = SampleLog()
        var backlog = JournalBacklog<String>(storedSeq: 0)
        backlog.add(log.entry())
        for name in ["a", "b"] { _ = backlog.wait(name, for: 1) }
        #expect(backlog.take().map(\.seq) == [1])
        backlog.forgetWaiting { $0 == "a" }
        #expect(backlog.finish(.success(1)).stored == ["b"])
    }

    @Test("appends again what the store has lost after it had confirmed it, and answers nobody twice")
    func lost() {
        var log = SampleLog()
        var backlog = JournalBacklog<String>(storedSeq: 0)
        for name in ["a", "b", "c"] {
            backlog.add(log.entry())
            _ = backlog.wait(name, for: log.seq)
        }
        _ = backlog.take()
        let stored = backlog.finish(.success(3)).entries
        #expect(stored.map(\.seq) == [1, 2, 3] && backlog.isEmpty)
        // With nothing to append the newest entry alone asks the store whether it has it.
        #expect(backlog.take(proof: stored[2]).map(\.seq) == [3])
        #expect(backlog.take(proof: stored[2]) == [], "one is under way")
        #expect(backlog.finish(.success(3)).entries == [])
        #expect(backlog.storedSeq == 3)
        backlog.add(log.entry())
        #expect(backlog.wait("d", for: 4) == false)
        #expect(backlog.take(proof: stored[2]).map(\.seq) == [3, 4])
        for gap in [[], [stored[2]], [stored[1]], [stored[0], stored[2]]] as [[JournalEntry]] {
            let isAll = backlog.putBack(gap, after: 1)
            #expect(!isAll)
        }
        let isAll = backlog.putBack([stored[1], stored[2]], after: 1)
        #expect(isAll)
        #expect(backlog.storedSeq == 1)
        #expect(backlog.take().map(\.seq) == [2, 3, 4])
        #expect(backlog.finish(.success(4)).stored == ["d"])
        #expect(backlog.isEmpty && backlog.byteCount == 0)
    }

    @Test("keeps failed entries, refuses waiting requests, and repeats the append before the rest")
    func failure() {
        var log = SampleLog()
        var backlog = JournalBacklog<String>(storedSeq: 0)
        backlog.add(log.entry())
        _ = backlog.wait("a", for: 1)
        _ = backlog.take()
        backlog.add(log.entry())
        _ = backlog.wait("b", for: 2)
        let failed = backlog.finish(.failure(.diskFull("x")))
        #expect(failed.stored == [] && failed.refused == ["a", "b"] && !failed.isLost)
        #expect(backlog.wait("a again", for: 1) == false)
        #expect(backlog.take().map(\.seq) == [1, 2])
        #expect(backlog.finish(.success(2)).stored == ["a again"])
        backlog.add(log.entry())
        _ = backlog.take()
        #expect(backlog.finish(.failure(.outOfOrder(stored: 9))).isLost)
    }

    @Test("says when it is full")
    func full() {
        var log = SampleLog()
        var backlog = JournalBacklog<Void>(storedSeq: 0, entriesMax: 3, bytesMax: 1_000)
        for _ in 0..<3 {
            #expect(!backlog.isFull)
            backlog.add(log.entry())
        }
        #expect(backlog.isFull)
        _ = backlog.take()
        _ = backlog.finish(.success(3))
        #expect(!backlog.isFull)
        backlog.add(log.entry("x", "\"\(String(repeating: "x", count: 1_000))\""))
        #expect(backlog.isFull)
    }

    @Test("brings a room over a full disk without a gap, a duplicate or a false ack")
    func disk() async throws {
        let scratch = try Scratch()
        let store = try DatabaseStore(.directory(scratch.path), limits: .quick)
        var log = SampleLog()
        var backlog = JournalBacklog<UInt64>(storedSeq: 0)
        var acked: [UInt64] = []
        for round in 0..<60 {
            faulty_disk_refuse_writes(scratch.path, round % 10 < 5 ? 0 : ENOSPC)
            backlog.add(log.created("e\(log.seq)"))
            #expect(backlog.wait(log.seq, for: log.seq) == false)
            let entries = backlog.take()
            let result: Result<UInt64, StoreError> = await withCheckedContinuation { continuation in
                store.append(entries, to: "r") { continuation.resume(returning: $0) }
            }
            acked += backlog.finish(result).stored
            #expect(acked.allSatisfy { $0 <= backlog.storedSeq })
        }
        #expect(acked.count == 30)
        faulty_disk_refuse_writes(scratch.path, 0)
        try await store.appended(backlog.take())
        _ = backlog.finish(.success(60))
        #expect(backlog.isEmpty)
        #expect(try await store.loaded()?.elements.map(\.element.id) == (0..<60).map { "e\($0)" })
        store.close()
    }
}
