import RoomsBots
import RoomsServer
import Testing
import Threads

@testable import RoomsClient

@Suite("Bots", .serialized)
struct BotTests {
    private func run(
        _ url: String, for seconds: Double, _ configure: (inout BotOptions) -> Void
    ) async throws -> BotReport {
        var options = BotOptions()
        options.url = url
        options.seed = 7
        configure(&options)
        let run = try BotRun(options)
        let isOver = await eventually(within: seconds) { run.result != nil }
        if !isOver { run.stop() }
        let hasEnded = await eventually(within: 30) { run.result != nil }
        #expect(hasEnded)
        // The clients' threads end a little later. What they hold would count as leaked if the process ended first.
        try await Task.sleep(for: .milliseconds(300))
        return try #require(run.result)
    }

    @Test("of every behaviour come, do what they are for, and go", arguments: BotOptions.Behaviour.allCases)
    func behaviours(_ behaviour: BotOptions.Behaviour) async throws {
        let server = try LocalServer()
        let watcher = try await participant("watcher", server.url)
        let told = Told(watcher)
        try await watcher.join("lobby")
        async let leading = run(server.url, for: 4) {
            $0.count = 1
            $0.prefix = "leader"
        }
        let creates = [.draw, .chaos, .write].contains(behaviour)
        let isStill = behaviour == .idle || behaviour == .write
        let report = try await run(server.url, for: creates ? 8 : isStill ? 2 : 4) {
            $0.behaviour = behaviour
            $0.count = 6
            $0.transport = .mixed
        }
        _ = try await leading
        if case .failure(let broken)? = report.verdict { Issue.record("\(broken)") }
        let movers = Set(
            await told.all.compactMap { event -> String? in
                if case .touchMoved(_, let user, _) = event, user.hasPrefix("bot") { user } else { nil }
            })
        #expect(movers.isEmpty == isStill)
        let created = await told.count { if case .elementCreated = $0 { true } else { false } }
        #expect((created > 0) == creates)
        #expect(report.touches > 0 || isStill)
        if behaviour == .write {
            let texts = await watcher.room("lobby")?.elements.values.compactMap(\.content) ?? []
            #expect(texts.contains { $0.split(separator: " ").count > 3 }, "\(texts)")
        }
        if behaviour == .draw {
            let isClean = await eventually { await watcher.room("lobby")?.elements.isEmpty == true }
            #expect(isClean)
        }
        // One that had lost its polling session then is gone with that session's heartbeat (45 s) and the grace.
        let isAlone = await eventually(within: 60) {
            await watcher.room("lobby")?.participants.keys.sorted() == ["watcher"]
        }
        #expect(isAlone, "bots leave when they end")
    }

    @Test(
        "of chaos find nothing wrong with the server",
        arguments: [(UInt64(1), TouchForm.single), (2, .batches), (3, .binary(decimals: 1))])
    func chaos(_ seed: UInt64, _ touches: TouchForm) async throws {
        let server = try LocalServer {
            $0.threads = 3
            $0.grace = .seconds(1)
        }
        let report = try await run(server.url, for: 6) {
            $0.behaviour = .chaos
            $0.count = 24
            $0.rooms = ["one", "two"]
            $0.seed = seed
            $0.transport = .mixed
            $0.touches = touches
        }
        if case .failure(let broken)? = report.verdict { Issue.record("\(broken)") }
        #expect(report.losses > 0 && report.touches > 100)
    }

    enum Lie: String, CaseIterable {
        case loseChange, doubleChange, swapChanges, oldTouch, ghost, loseLeave, loseLastTouch
    }

    @Test("of chaos find out a server that lies", arguments: Lie.allCases)
    func lies(_ lie: Lie) async throws {
        let server = try LocalServer { $0.grace = .milliseconds(100) }
        let liar = try Proxy(to: server.port) {
            let tongue = Locked(Liar(lie))
            return { bytes in tongue.withLock { $0.rewrite(bytes) } }
        }
        defer { liar.close() }
        let report = try await run(liar.url, for: 15) {
            $0.behaviour = .chaos
            $0.count = 12
            $0.seed = 3
            $0.touches = .single
        }
        guard case .failure(let broken)? = report.verdict else {
            Issue.record("the lie was not found out: \(report.line)")
            return
        }
        #expect(broken.seed == 3 && !broken.events.isEmpty)
        #expect("\(broken)".contains("with the seed 3"))
    }
}

/// Tells a client something else than the server said, now and then.
private struct Liar {
    let lie: BotTests.Lie
    private var frames = ServerFrames()
    private var count = 0
    private var held: String?

    init(_ lie: BotTests.Lie) {
        self.lie = lie
    }

    mutating func rewrite(_ bytes: [UInt8]) -> [UInt8] {
        var frames = frames
        defer { self.frames = frames }
        return frames.rewrite(bytes) { take($0) }
    }

    private mutating func take(_ text: String) -> [String] {
        let isChange = text.hasPrefix("42[\"element:updated\"")
        switch lie {
        case .loseChange where isChange && isDue(2): return []
        case .doubleChange where isChange && isDue(2): return [text, text]
        case .swapChanges where isChange:
            if let held = held.take() { return [text, held] }
            if isDue(2) {
                held = text
                return []
            }
        case .oldTouch where text.hasPrefix("42[\"touch:moved\""):
            // Told again when all have moved on.
            if isDue(60), let old = held.take() { return [text, old] }
            if held == nil { held = text }
        case .ghost where text.hasPrefix("42[\"user:left\""): return [text, text]
        case .loseLeave where text.hasPrefix("42[\"user:left\""): return []
        case .loseLastTouch where text.hasPrefix("42[\"touch:moved\""): return isDue(3) ? [] : [text]
        default: break
        }
        return [text]
    }

    private mutating func isDue(_ every: Int) -> Bool {
        count += 1
        return count % every == 0
    }
}
