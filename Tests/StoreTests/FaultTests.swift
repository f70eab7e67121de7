import CFaultyDisk
import Foundation
import Rooms
import Testing
import Threads

@testable import Store

/// What happens when the place fails: clear errors, nothing told as stored that is not, and work goes on when the cause
/// has gone.
@Suite("A store whose place fails", .timeLimit(.minutes(1)))
struct FaultTests {
    private func open(_ scratch: Scratch, limits: StoreLimits = .quick) throws -> DatabaseStore {
        try DatabaseStore(.directory(scratch.path), limits: limits)
    }

    @Test("says that the disk is full, and goes on when there is room again", arguments: [ENOSPC, EIO, EDQUOT])
    func disk(error: Int32) async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        let turns = Turns()
        store.onHealth { turns.add($0) }
        var log = SampleLog()
        try await store.appended([log.created("a")])
        faulty_disk_refuse_writes(scratch.path, error)
        let (second, third) = (log.created("b"), log.created("c"))
        do {
            try await store.appended([second])
            Issue.record("it was told as stored")
        } catch let told as StoreError {
            #expect(told.isOfStorage && told.isPassing && told.description.contains(scratch.database))
            if error == ENOSPC { #expect(told == .diskFull(scratch.database)) }
            #expect(store.health == .failing(told))
        }
        // What follows does not overtake, whether the disk fails or not.
        await #expect(throws: StoreError.self) { try await store.appended([third]) }
        #expect(try await store.loaded()?.elements.map(\.element.id) == ["a"])
        faulty_disk_refuse_writes(scratch.path, 0)
        try await eventually("it stays ill") { store.health.isGood }
        await #expect(throws: StoreError.outOfOrder(stored: 1)) { try await store.appended([third]) }
        #expect(try await store.appended([second, third]) == 3)
        #expect(turns.all.first.map { !$0.isGood } == true && turns.all.last == .good)
        store.close()
        #expect(try StoreCheck.run(.directory(scratch.path)).findings == [])
        let again = try open(scratch)
        #expect(try await again.loaded()?.elements.map(\.element.id) == ["a", "b", "c"])
        again.close()
    }

    /// All jobs of the group were told as failed.
    @Test("says of each job of a group that met another node's whether it is stored")
    func parts() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        let (gate, tries) = (Gate(), Monitor(0))
        let failure = StoreError.failed(scratch.database, detail: "the connection was lost")
        func write(_ id: String, _ body: @escaping @Sendable () throws(StoreError) -> Void) async throws {
            let _: Int = try await told {
                store.write(then: $0) { (database) throws(StoreError) in
                    try body()
                    return try database.run(
                        "INSERT INTO accounts (id, sub, email, created_at, updated_at) VALUES ($1, $1, '', 1, 1)",
                        .text(id))
                }
            }
        }
        store.write(then: { (_: Result<Void, StoreError>) in }) { _ in gate.wait() }
        try await eventually("the first job does not begin") { store.counters.waitingJobs == 0 }
        async let stored: Void = write("stored") { () throws(StoreError) in }
        try await eventually("the second job does not come") { store.counters.waitingJobs == 1 }
        async let lost: Void = write("lost") { () throws(StoreError) in
            let count = tries.withLock { tries in
                tries += 1
                return tries
            }
            throw count == 1 ? .contended(scratch.database) : failure
        }
        try await eventually("the third job does not come") { store.counters.waitingJobs == 2 }
        gate.open()
        try await stored
        do {
            try await lost
            Issue.record("it was told as stored")
        } catch {
            #expect(error as? StoreError == failure)
        }
        let there = try await told { store.accounts(["stored", "lost"], then: $0) }.map(\.id)
        #expect(there == ["stored"])
        try await eventually("it stays ill") { store.health.isGood }
        store.close()
    }

    /// It counted as good again, and rooms took changes that it could not store.
    @Test("stays failing when a job that changes nothing succeeds")
    func nothingToWrite() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        var log = SampleLog()
        try await store.appended([log.created("a")])
        faulty_disk_refuse_writes(scratch.path, ENOSPC)
        await #expect(throws: StoreError.diskFull(scratch.database)) { try await store.appended([log.created("b")]) }
        let turns = Turns()
        store.onHealth { turns.add($0) }
        let _: Void = try await told { store.write(then: $0) { _ in } }
        #expect(turns.all == [] && store.health == .failing(.diskFull(scratch.database)))
        faulty_disk_refuse_writes(scratch.path, 0)
        try await eventually("it stays ill") { store.health.isGood }
        store.close()
    }

    @Test("is read without space, and counts its start once there is some; a start without a job is not counted")
    func startedWithoutSpace() async throws {
        let scratch = try Scratch()
        let first = try open(scratch)
        var log = SampleLog()
        try await first.appended([log.created("a")])
        first.close()
        try open(scratch).close()
        let store = try open(scratch)
        faulty_disk_refuse_writes(scratch.path, ENOSPC)
        let second = log.created("b")
        #expect(try await store.loaded()?.era == 2)
        await #expect(throws: StoreError.diskFull(scratch.database)) { try await store.appended([second]) }
        #expect(try await store.loaded()?.era == 2)
        faulty_disk_refuse_writes(scratch.path, 0)
        try await store.appended([second])
        let room = try #require(try await store.loaded())
        #expect(room.era == 2 && room.elements.map(\.element.era) == [1, 2])
        store.close()
        let third = try open(scratch)
        #expect(try await third.loaded()?.era == 3)
        third.close()
    }

    @Test("tells all jobs of a group that failed")
    func group() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        let gate = Gate()
        store.write(then: { (_: Result<Void, StoreError>) in }) { _ in gate.wait() }
        faulty_disk_refuse_writes(scratch.path, ENOSPC)
        let told = Monitor<[Int: Result<UInt64, StoreError>]>([:])
        for room in 0..<50 {
            var log = SampleLog()
            store.append([log.created("a"), log.created("b")], to: "r\(room)") { result in
                told.withLock { $0[room] = result }
            }
        }
        gate.open()
        try await eventually("somebody is not told") { told.withLock { $0.count } == 50 }
        #expect(told.withLock { $0.values.allSatisfy { $0 == .failure(.diskFull(scratch.database)) } })
        faulty_disk_refuse_writes(scratch.path, 0)
        try await eventually("it stays ill") { store.health.isGood }
        #expect(try await store.loaded("r7") == nil)
        store.close()
    }

    @Test("is full when its bound is reached, and what was told as stored is there under a higher one")
    func bound() async throws {
        let scratch = try Scratch()
        var limits = StoreLimits.quick
        limits.databaseBytesMax = 800 << 10
        let store = try open(scratch, limits: limits)
        var log = SampleLog()
        var stored: UInt64 = 0
        let content = String(repeating: "x", count: 4_000)
        while stored < 1_000 {
            let entry = log.created("e\(log.seq)", content: content)
            do {
                stored = try await store.appended([entry])
            } catch {
                #expect(error as? StoreError == .diskFull(scratch.database))
                break
            }
        }
        #expect(stored > 10 && stored < 1_000)
        #expect(!store.health.isGood)
        store.close()
        let again = try open(scratch)
        #expect(try await again.loaded()?.seq == stored)
        #expect(try await again.loaded()?.elements.count == Int(stored))
        again.close()
    }

    @Test("names the process that uses the directory, and takes it when that one has gone")
    func inUse() async throws {
        let scratch = try Scratch()
        let first = try open(scratch)
        #expect(throws: StoreError.inUse(scratch.path, by: getpid())) { try open(scratch) }
        first.close()
        try open(scratch).close()
    }

    @Test("says that another program holds a lock, and goes on after it")
    func locked() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        var log = SampleLog()
        let (first, second) = (log.created("a"), log.created("b"))
        try await store.appended([first])
        let other = try SQLiteConnection(.file(scratch.database), .write, lockMillisecondsMax: 0)
        try other.run("BEGIN IMMEDIATE")
        await #expect(throws: StoreError.locked(scratch.database)) { try await store.appended([second]) }
        #expect(try await store.loaded()?.seq == 1)
        #expect(store.health == .failing(.locked(scratch.database)))
        other.rollBack()
        try await eventually("it stays ill") { store.health.isGood }
        #expect(try await store.appended([second]) == 2)
        store.close()
    }

    @Test("notices that its file was deleted or moved, and that it came back")
    func moved() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        var log = SampleLog()
        try await store.appended([log.created("a")])
        try FileManager.default.moveItem(atPath: scratch.database, toPath: scratch.database + ".away")
        let second = log.created("b")
        await #expect(throws: StoreError.moved(scratch.database)) { try await store.appended([second]) }
        #expect(!store.health.isGood)
        try FileManager.default.moveItem(atPath: scratch.database + ".away", toPath: scratch.database)
        try await eventually("it stays ill") { store.health.isGood }
        #expect(try await store.appended([second]) == 2)
        store.close()
    }

    @Test("refuses a directory that it may not write")
    func readOnly() throws {
        let scratch = try Scratch()
        try open(scratch).close()
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        chmod(scratch.path, 0o555)
        chmod(scratch.database, 0o444)
        chmod("\(scratch.path)/rooms.lock", 0o444)
        let whole = try asNobody { Self.fault { try DatabaseStore(.directory(scratch.path)).close() } }
        #expect(whole == .readOnly(scratch.path))
        chmod("\(scratch.path)/rooms.lock", 0o666)
        let file = try asNobody { Self.fault { try DatabaseStore(.directory(scratch.path)).close() } }
        #expect(file == .readOnly(scratch.database))
        chmod(scratch.path, 0o755)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.database)) == before)
        #expect(Self.fault { try DatabaseStore(.directory("/no/such/place")).close() }?.isOfStorage == true)
        #expect(Self.fault { try DatabaseStore(.directory("/dev/null/x")).close() }?.isOfStorage == true)
    }

    @Test("refuses a file that is not its own, and leaves it as it is")
    func notAStore() throws {
        let scratch = try Scratch()
        let url = URL(fileURLWithPath: scratch.database)
        let garbage = Data(repeating: 0x41, count: 8_192)
        try garbage.write(to: url)
        #expect(Self.fault { _ = try open(scratch) } == .notAStore(scratch.database))
        #expect(try Data(contentsOf: url) == garbage)
        try FileManager.default.removeItem(at: url)
        let other = try SQLiteConnection(.file(scratch.database), .create, lockMillisecondsMax: 0)
        try other.script("CREATE TABLE pets (name); INSERT INTO pets VALUES ('Rex')")
        #expect(Self.fault { _ = try open(scratch) } == .notAStore(scratch.database))
        #expect(try other.first("SELECT name FROM pets") { $0.text(0) } == "Rex")
    }

    @Test("notices a damaged file, stores nothing more in it, and stays ill")
    func corrupt() async throws {
        let scratch = try Scratch()
        let store = try open(scratch)
        var log = SampleLog()
        let content = String(repeating: "x", count: 1_000)
        for _ in 0..<200 { try await store.appended([log.created("e\(log.seq)", content: content)]) }
        store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: scratch.database))
        // The tables' definitions gone: it is not even opened.
        try damaged(whole, from: 4_096).write(to: URL(fileURLWithPath: scratch.database))
        #expect(Self.fault { _ = try open(scratch) } == .corrupt(scratch.database))
        try damaged(whole, from: whole.count / 2).write(to: URL(fileURLWithPath: scratch.database))
        let ill = try open(scratch)
        let next = log.created("next")
        await #expect(throws: StoreError.corrupt(scratch.database)) { try await ill.appended([next]) }
        #expect(ill.health == .failing(.corrupt(scratch.database)))
        try await Task.sleep(for: .milliseconds(100))
        await #expect(throws: StoreError.corrupt(scratch.database)) { try await ill.appended([next]) }
        #expect(!ill.health.isGood)
        ill.close()
        #expect(try !StoreCheck.run(.directory(scratch.path)).findings.isEmpty)
    }

    private func damaged(_ file: Data, from offset: Int) -> Data {
        file.prefix(offset) + Data(repeating: 0xff, count: file.count - offset)
    }

    private static func fault(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }
}
