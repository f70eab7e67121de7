import RoomsServer
import Testing
import Threads

@testable import RoomsClient

@Suite("A client that loses its connection")
struct LossTests {
    @Test("comes back to the room as it is by then", arguments: ClientTransport.allCases)
    func comesBack(_ transport: ClientTransport) async throws {
        let server = try LocalServer()
        let proxy = try Proxy(to: server.port)
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url) { $0.transport = transport }
        let bob = try await participant("bob", server.url)
        let told = Told(ada)
        try await ada.join("lobby")
        try await bob.join("lobby")
        let old = try await bob.create(.sample("old"), in: "lobby")
        try await told.wait { $0 == .elementCreated(old) }

        for round in 1...3 {
            proxy.setRefusing(true)
            proxy.cut()
            let new = try await bob.create(.sample("new \(round)"), in: "lobby")
            let changed = try await bob.update(old.id, in: "lobby", ElementChange(x: Double(round)))
            try await told.wait { if case .disconnected = $0 { true } else { false } }
            proxy.setRefusing(false)
            let isThere = await eventually {
                let elements = await ada.room("lobby")?.elements
                return elements?[new.id] == new && elements?[old.id] == changed
            }
            #expect(isThere)
            let isBack = await eventually { await ada.isConnected }
            #expect(isBack)
        }
        #expect(await told.count { $0.isJoining("ada") } == 0, "the grace lasted")
    }

    @Test("gets exactly what it missed, in order and once")
    func recovers() async throws {
        let server = try LocalServer()
        let proxy = try Proxy(to: server.port)
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url)
        let bob = try await participant("bob", server.url)
        let told = Told(ada)
        try await bob.join("lobby")
        try await ada.join("lobby")
        var made: [Element] = []
        for round in 0..<5 {
            made.append(try await bob.create(.sample("before \(round)"), in: "lobby"))
            proxy.cut()
            for count in 0..<5 { made.append(try await bob.create(.sample("\(round) \(count)"), in: "lobby")) }
            let isBack = await eventually { await told.count { $0.isConnection } == round + 1 }
            #expect(isBack)
        }
        let isComplete = await eventually { await ada.room("lobby")?.elements.count == made.count }
        #expect(isComplete)
        let isRecovered = await told.all.contains(.connected(isRecovered: true))
        try #require(isRecovered, "the server recovers connections")
        // The model of the room is ahead of the reader of its events.
        let isTold = await eventually {
            await told.count { if case .elementCreated = $0 { true } else { false } } >= made.count
        }
        #expect(isTold)
        let created = await told.all.compactMap { if case .elementCreated(let element) = $0 { element } else { nil } }
        #expect(created == made)
        #expect(await told.count { if case .joined = $0 { true } else { false } } == 1)
    }

    @Test("keeps what is asked of it meanwhile, and does it once and in order")
    func offlineQueue() async throws {
        let server = try LocalServer()
        let proxy = try Proxy(to: server.port)
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url)
        let bob = try await participant("bob", server.url)
        let told = Told(bob)
        try await ada.join("lobby")
        try await bob.join("lobby")
        let element = try await ada.create(.sample("first"), in: "lobby")
        proxy.setRefusing(true)
        proxy.cut()
        let isLost = await eventually { await !ada.isConnected }
        #expect(isLost)
        await ada.move(in: "lobby", to: Touch(x: 1, y: 1))

        let tasks = await waiting(
            on: ada,
            asking: [
                { try await ada.update(element.id, in: "lobby", ElementChange(content: "second")) },
                { try await ada.update(element.id, in: "lobby", ElementChange(content: "third")) },
                { try await ada.create(.sample("other"), in: "lobby") },
                { try await ada.update(element.id, in: "lobby", ElementChange(content: "fourth")) },
            ])
        proxy.setRefusing(false)
        var versions: [Int] = []
        for task in tasks { versions.append(try await task.value.version) }
        #expect(versions == [2, 3, 1, 4])
        try await told.wait { if case .elementUpdated(let element) = $0 { element.version == 4 } else { false } }
        let texts = await told.all.compactMap {
            if case .elementUpdated(let element) = $0 { element.content } else { nil }
        }
        #expect(texts == ["second", "third", "fourth"])
        #expect(await told.count { if case .touchMoved = $0 { true } else { false } } == 0)
        #expect(await ada.waitingCount == 0)
    }

    @Test("does what was asked once even if the answer was lost")
    func lostAnswers() async throws {
        let server = try LocalServer()
        let isSwallowing = Locked(false)
        let proxy = try Proxy(to: server.port) {
            let frames = Locked(ServerFrames())
            return { bytes in
                frames.withLock { frames in
                    frames.rewrite(bytes) { text in
                        text.hasPrefix("43") && isSwallowing.withLock { $0 } ? [] : [text]
                    }
                }
            }
        }
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url)
        let bob = try await participant("bob", server.url)
        let told = Told(bob)
        try await ada.join("lobby")
        try await bob.join("lobby")

        func afterLosingTheAnswer<Value: Sendable>(
            seenBy event: @escaping (RoomsEvent) -> Bool, _ work: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            isSwallowing.withLock { $0 = true }
            async let result = work()
            try await told.wait(for: event)
            isSwallowing.withLock { $0 = false }
            proxy.cut()
            return try await result
        }
        let element = try await afterLosingTheAnswer(seenBy: { if case .elementCreated = $0 { true } else { false } }) {
            try await ada.create(.sample("once"), in: "lobby")
        }
        let updated = try await afterLosingTheAnswer(seenBy: { if case .elementUpdated = $0 { true } else { false } }) {
            try await ada.update(element.id, in: "lobby", ElementChange(x: 9), ifVersion: 1)
        }
        #expect(updated.version == 2)
        try await afterLosingTheAnswer(seenBy: { if case .elementDeleted = $0 { true } else { false } }) {
            try await ada.delete(element.id, in: "lobby")
        }
        #expect(await told.count { if case .elementCreated = $0 { true } else { false } } == 1)
        #expect(await told.count { if case .elementUpdated = $0 { true } else { false } } == 1)
    }

    @Test("that hears no answer in time says so, or asks again where that is safe")
    func lateAnswers() async throws {
        let server = try LocalServer()
        let swallowed = Locked(0)
        let proxy = try Proxy(to: server.port) {
            let frames = Locked(ServerFrames())
            return { bytes in
                frames.withLock { frames in
                    frames.rewrite(bytes) { text in
                        guard text.hasPrefix("43"), swallowed.withLock({ $0 }) < 2 else { return [text] }
                        swallowed.withLock { $0 += 1 }
                        return []
                    }
                }
            }
        }
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url) { $0.answerTimeout = .milliseconds(300) }
        try await ada.join("lobby")
        await #expect(throws: ClientError.timedOut) {
            try await ada.emit("touch:end", json: Array("{\"roomId\":\"lobby\"}".utf8))
        }
        let element = try await ada.create(.sample("late"), in: "lobby")
        #expect(await ada.room("lobby")?.elements.keys.sorted() == [element.id])
    }

    @Test("lets no more wait than it was told to")
    func boundedQueue() async throws {
        let server = try LocalServer()
        let proxy = try Proxy(to: server.port)
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url) { $0.operationsMax = 2 }
        try await ada.join("lobby")
        proxy.setRefusing(true)
        proxy.cut()
        let isLost = await eventually { await !ada.isConnected }
        #expect(isLost)
        let tasks = await waiting(
            on: ada,
            asking: [
                { try await ada.create(.sample("1"), in: "lobby") },
                { try await ada.create(.sample("2"), in: "lobby") },
            ])
        await #expect(throws: ClientError.queueFull) { try await ada.create(.sample("3"), in: "lobby") }
        await #expect(throws: ClientError.notConnected) {
            try await ada.emit("touch:end", json: Array("{\"roomId\":\"lobby\"}".utf8))
        }
        await ada.close()
        for task in tasks { await #expect(throws: ClientError.closed) { try await task.value } }
    }

    @Test("of a server that stops goes to the next when it is told to")
    func draining() async throws {
        let first = try LocalServer()
        let second = try LocalServer()
        let proxy = try Proxy(to: first.port)
        defer { proxy.close() }
        let ada = try await participant("ada", proxy.url)
        let told = Told(ada)
        try await ada.join("lobby")
        proxy.lead(to: second.port)
        let bob = try await participant("bob", second.url)
        try await bob.join("lobby")
        first.server.drain(overMilliseconds: 300)
        try await told.wait { if case .draining(let time) = $0 { time <= 300 } else { false } }
        let isThere = await eventually { await bob.room("lobby")?.participants["ada"] != nil }
        #expect(isThere)
        try await told.wait { $0 == .connected(isRecovered: false) }
    }

    /// Asks in this order, and waits until all wait.
    private func waiting(
        on client: RoomsClient, asking work: [@Sendable () async throws -> Element]
    ) async -> [Task<Element, any Error>] {
        var tasks: [Task<Element, any Error>] = []
        for body in work {
            tasks.append(Task { try await body() })
            let count = tasks.count
            _ = await eventually { await client.waitingCount == count }
        }
        return tasks
    }
}

extension NewElement {
    static func sample(_ content: String) -> NewElement {
        NewElement(.note, x: 1, y: 2, width: 3, height: 4, content: content)
    }
}

extension RoomsEvent {
    var isConnection: Bool { if case .connected = self { true } else { false } }
}
