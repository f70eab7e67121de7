import Rooms
import Testing

@testable import Store

/// What every store that notifies promises of whom it puts into the outbox.
@Suite("What happens in rooms", .timeLimit(.minutes(1)))
struct NotifyingContractTests {
    private func inRoom(
        _ backend: Backend, notifies: Bool = true, _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, notifies: notifies) { store in
            try await store.people("ann", "bob", "cat", "dan")
            for name in ["ann", "bob", "cat"] {
                try await told { store.setDevice("phone-\(name)", of: name, session: nil, at: 1, then: $0) }
            }
            try await store.made("r", by: "ann", with: "bob", "cat", "dan", at: 60)
            try await body(store)
        }
    }

    /// The notifications that wait, by user; none wait afterwards.
    private func waiting(in store: any ServerStore) async throws -> Set<String> {
        var all: Set<String> = []
        while true {
            let pushes: [LeasedPush] = try await told {
                store.leasePushes(limit: 100, at: 1 << 40, forSeconds: 1, then: $0)
            }
            if pushes.isEmpty { return all }
            for leased in pushes {
                all.insert(
                    "\(leased.push.type) \(leased.push.account) \(String(decoding: leased.push.json, as: UTF8.self))")
                try await told { store.finishPush(leased.key, outcome: "sent", at: 60, then: $0) }
            }
        }
    }

    @Test("goes to the other members with a device", arguments: Backend.allCases)
    func members(backend: Backend) async throws {
        try await inRoom(backend) { store in
            #expect(
                try await waiting(in: store) == [#"room_created bob {"by":"ann"}"#, #"room_created cat {"by":"ann"}"#])
            for (name, at) in [("Kitchen", 60), ("Kitchen", 180), ("Garden", 300)] {
                let _: RoomRecord = try await told {
                    store.renameRoom("r", to: name, by: "bob", at: Int64(at), then: $0)
                }
                let renamed: Set = [#"room_renamed ann {"by":"bob"}"#, #"room_renamed cat {"by":"bob"}"#]
                #expect(try await waiting(in: store) == (at == 180 ? [] : renamed), "\(name) at \(at)")
            }
            let _: RoomRecord = try await told { store.removeMember("cat", from: "r", at: 400, then: $0) }
            var log = SampleLog()
            try await store.appended([log.created("e1"), log.created("e2")])
            #expect(try await waiting(in: store) == [#"element_added bob {"by":"ann"}"#])
        }
    }

    @Test("has messages to a person with a device, each once", arguments: Backend.allCases)
    func messages(backend: Backend) async throws {
        for notifies in [true, false] {
            try await withStore(backend, notifies: notifies) { store in
                for name in ["ann", "bob"] {
                    let person = NewPerson(id: name, name: name, email: "\(name)@example.org", passwordHash: nil, at: 1)
                    let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
                }
                for device in ["phone", "tablet"] {
                    try await told { store.setDevice(device, of: "ann", session: nil, at: 1, then: $0) }
                }
                for (id, person) in [("m1", "ann"), ("m2", "ann"), ("m3", "bob")] {
                    let message = Message(
                        id: id, person: person, sender: "bob", kind: .info, content: "x", createdAt: 60)
                    #expect(try await told { store.addMessage(message, then: $0) } == message)
                }
                let pushes: [LeasedPush] = try await told {
                    store.leasePushes(limit: 100, at: 1 << 40, forSeconds: 1, then: $0)
                }
                #expect(pushes.map(\.push.room).sorted() == (notifies ? ["m1", "m2"] : []))
                #expect(pushes.allSatisfy { $0.push.account == "ann" && $0.push.type == "message_received" })
            }
        }
    }

    @Test("does not go to participants at this place of the log", arguments: Backend.allCases)
    func present(backend: Backend) async throws {
        try await inRoom(backend) { store in
            _ = try await waiting(in: store)
            var seq: UInt64 = 0
            func entry(_ presence: LogRecord.Effect? = nil, at: Int64 = 6_000) -> JournalEntry {
                seq += 1
                let effect = presence ?? .created(sampleElement("e\(seq)"))
                return JournalEntry(seq: seq, kind: "x", json: Array("{}".utf8), at: at, effect: effect)
            }
            try await store.appended([entry(.came("bob")), entry(.came("cat")), entry()])
            #expect(try await waiting(in: store) == [])
            // In one append each element has its own place.
            try await store.appended([entry(), entry(.left("cat")), entry(), entry(.left("bob"))])
            #expect(try await waiting(in: store) == [#"element_added cat {"by":"ann"}"#])
            try await store.appended([entry()])
            #expect(try await waiting(in: store) == [#"element_added bob {"by":"ann"}"#])
            try await store.appended([entry(), entry(at: 6_060)])
            #expect(
                try await waiting(in: store) == [
                    #"element_added bob {"by":"ann"}"#, #"element_added cat {"by":"ann"}"#,
                ])
        }
    }

    @Test("does not come from a store that does not notify", arguments: Backend.allCases)
    func off(backend: Backend) async throws {
        try await inRoom(backend, notifies: false) { store in
            var log = SampleLog()
            try await store.appended([log.created("e1")])
            #expect(try await waiting(in: store) == [])
        }
    }
}
