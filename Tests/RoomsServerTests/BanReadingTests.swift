import Logging
import Relay
import Store
import TestSupport
import Testing
import Threads

@testable import RoomsServer

@Suite("What the log says of bans that are read late", .timeLimit(.minutes(1)))
struct BanReadingTests {
    private let list = BanList(isRead: false)
    private let log = Collected()

    private var logger: Logger {
        let output = LogOutput { [log] in log.append(String(decoding: $0, as: UTF8.self)) }
        return Logger(level: .info, format: .json, output: output)
    }

    private func lines(_ message: String) -> Int {
        log.all.count { $0.contains("\"message\":\"\(message)") }
    }

    private func read(_ store: LateStore, patience: Int64 = 60_000) -> BanReading {
        BanReading(store, list, logger, patienceMilliseconds: patience)
    }

    @Test("an answer in time is not worth a line")
    func inTime() async {
        await read(LateStore(.success([]))).finish()
        #expect(list.isRead)
        #expect(log.text.isEmpty)
    }

    @Test("an answer that comes behind the patience of the start, and before it is tried again, opens")
    func late() async {
        let store = LateStore(nil)
        let reading = read(store, patience: 1)
        #expect(lines("the bans cannot be read") == 1)
        #expect(!list.isRead)
        store.answer(.success([]))
        #expect(list.isRead)
        #expect(lines("the bans are read") == 1)
        await reading.finish()
        #expect(lines("the bans are read") == 1)
    }

    @Test("two answers open once")
    func twice() async throws {
        let store = LateStore(nil)
        let reading = read(store, patience: 1)
        let finished = Task.detached { await reading.finish() }
        try await store.waitUntilAsked(times: 2)
        store.answer(.success([]))
        await finished.value
        #expect(list.isRead)
        #expect(lines("the bans are read") == 1)
    }

    @Test("a failure is told until an answer comes")
    func failure() async {
        let store = LateStore(.failure(.failed("bans", detail: "no disk")))
        let reading = read(store)
        #expect(lines("the bans cannot be read") == 1)
        store.answer(.success([]))
        await reading.finish()
        #expect(lines("the bans are read") == 1)
    }
}

/// Answers for bans when it is told to.
private final class LateStore: OperatorStore {
    typealias Reply = Result<[Ban], StoreError>

    private struct State {
        var reply: Reply?
        var waiting: [Answer<[Ban]>] = []
    }

    private let state: Locked<State>

    /// - Parameter reply: nil as long as there is none.
    init(_ reply: Reply?) {
        state = Locked(State(reply: reply))
    }

    func bans(at now: Int64, then answer: @escaping Answer<[Ban]>) {
        let reply = state.withLock { state in
            if state.reply == nil { state.waiting.append(answer) }
            return state.reply
        }
        if let reply { answer(reply) }
    }

    /// Answers all that wait, from now on at once.
    func answer(_ reply: Reply) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.reply = reply
            return state.waiting
        }
        for answer in waiting { answer(reply) }
    }

    /// Holds no thread of the pool: the reading needs one.
    func waitUntilAsked(times: Int) async throws {
        while state.withLock({ $0.waiting.count }) < times { try await Task.sleep(for: .milliseconds(1)) }
    }

    func keepBan(_ ban: Ban, then answer: @escaping Answer<Void>) {}
    func liftBan(_ subject: BanSubject, then answer: @escaping Answer<Bool>) {}
    func addAudit(_ entry: AuditEntry, then answer: @escaping Answer<Void>) {}
    func audit(_ page: PageRequest, then answer: @escaping Answer<Page<AuditEntry>>) {}
    func auditTimes(of action: String, server: Int, since: Int64, then answer: @escaping Answer<[Int64]>) {}
    func findRooms(containing text: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>) {}
}
