import Testing

@testable import Store

/// What every store promises of messages.
@Suite("Inboxes of people", .timeLimit(.minutes(1)))
struct InboxContractTests {
    private func withPeople(
        _ backend: Backend, _ limits: StoreLimits, _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits, now: { 1 }) { store in
            for name in ["ann", "bob"] {
                let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            }
            try await body(store)
        }
    }

    @Test("count what is not read, and lose only what their owners remove", arguments: Backend.allCases)
    func owners(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.messagesMax = 3
        try await withPeople(backend, limits) { store in
            func send(_ id: String, to person: String = "ann", at: Int64 = 20) async throws {
                let message = Message(
                    id: id, person: person, sender: "bob", kind: .warning, content: "Hällo \(id)", createdAt: at)
                #expect(try await told { store.addMessage(message, then: $0) } == message)
            }
            for (id, at) in [("a", Int64(20)), ("b", 22), ("c", 21)] { try await send(id, at: at) }
            func list(_ limit: Int = 10, _ offset: Int = 0) async throws -> ([String], Int) {
                let part = PartRequest(limit: limit, offset: offset)
                let found = try await told { store.messages(to: "ann", part, then: $0) }
                return (found.items.map(\.id), found.total)
            }
            #expect(try await list() == (["b", "c", "a"], 3))
            #expect(try await list(1, 1) == (["c"], 3))
            await #expect(throws: StoreError.notFound("user")) { try await send("x", to: "nobody") }
            #expect(try await told { store.unreadMessageCount(of: "ann", then: $0) } == 3)
            #expect(try await told { store.readMessage("a", of: "bob", at: 30, then: $0) } == nil)
            for at in [Int64(30), 40] {
                let read = try await told { store.readMessage("a", of: "ann", at: at, then: $0) }
                #expect(read?.readAt == 30 && read?.content == "Hällo a" && read?.kind == .warning)
            }
            #expect(try await told { store.unreadMessageCount(of: "ann", then: $0) } == 2)
            #expect(try await told { store.removeMessage("b", of: "bob", then: $0) } == false)
            #expect(try await told { store.removeMessage("b", of: "ann", then: $0) })
            #expect(try await told { store.message("b", then: $0) } == nil)
            // Past the bound the oldest go.
            for (id, at) in [("d", Int64(23)), ("e", 24)] { try await send(id, at: at) }
            #expect(try await list() == (["e", "d", "c"], 3))
            #expect(try await told { store.unreadMessageCount(of: "ann", then: $0) } == 3)
        }
    }

    @Test("keep the server's messages, however many people write", arguments: Backend.allCases)
    func ofTheServer(backend: Backend) async throws {
        var limits = StoreLimits.quick
        (limits.messagesMax, limits.messagesOfSenderMax, limits.messagesOfServerMax) = (4, 2, 3)
        try await withPeople(backend, limits) { store in
            func send(_ id: String, from sender: String?, at: Int64) async throws {
                let message = Message(
                    id: id, person: "ann", sender: sender, kind: .warning, content: id, createdAt: at)
                let _: Message = try await told { store.addMessage(message, then: $0) }
            }
            func list() async throws -> [String] {
                let part = PartRequest(limit: 50, offset: 0)
                return try await told { store.messages(to: "ann", part, then: $0) }.items.map(\.id)
            }
            try await send("w1", from: nil, at: 20)
            try await send("w2", from: nil, at: 21)
            for (number, sender) in ["bob", "cleo", "dan"].enumerated() {
                for message in 0..<3 { try await send("\(sender)\(message)", from: sender, at: Int64(30 + number)) }
            }
            // Two of each sender, four of all, and both warnings.
            #expect(try await list() == ["dan2", "dan1", "cleo2", "cleo1", "w2", "w1"])
            // The server's own have a bound, too, and push out nothing of others.
            for number in 3...5 { try await send("w\(number)", from: nil, at: Int64(40 + number)) }
            #expect(try await list() == ["w5", "w4", "w3", "dan2", "dan1", "cleo2", "cleo1"])
        }
    }

    @Test("list messages of the same second in the order in which they came", arguments: Backend.allCases)
    func ofASecond(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.messagesMax = 4
        try await withPeople(backend, limits) { store in
            func send(_ id: String, at: Int64 = 20) async throws {
                let message = Message(
                    id: id, person: "ann", sender: "bob", kind: .info, content: id, createdAt: at)
                let _: Message = try await told { store.addMessage(message, then: $0) }
            }
            func list(_ limit: Int = 10, _ offset: Int = 0) async throws -> [String] {
                let part = PartRequest(limit: limit, offset: offset)
                return try await told { store.messages(to: "ann", part, then: $0) }.items.map(\.id)
            }
            // The ids are in no order.
            for id in ["m", "z", "a", "k"] { try await send(id) }
            #expect(try await list() == ["k", "a", "z", "m"])
            #expect(try await list(2, 1) == ["a", "z"])
            // Times go before: a message of an earlier second is older, whenever it came.
            try await send("b", at: 19)
            #expect(try await list() == ["k", "a", "z", "m"])
            // Past the bound the oldest of the second go.
            #expect(try await told { store.removeMessage("a", of: "ann", then: $0) })
            for id in ["c", "y"] { try await send(id) }
            #expect(try await list() == ["y", "c", "k", "z"])
        }
    }
}
