import Testing

@testable import Store

/// What every store promises of devices, preferences, and the outbox of notifications.
@Suite("Notifications", .timeLimit(.minutes(1)))
struct PushContractTests {
    @Test("reach the devices of their last user", arguments: Backend.allCases)
    func devices(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.devicesPerAccountMax = 2
        try await withStore(backend, limits: limits) { store in
            try await store.people("ann", "bob")
            func set(_ id: String, _ account: String, at: Int64) async throws {
                try await told { store.setDevice(id, of: account, session: nil, at: at, then: $0) }
            }
            func devices(_ account: String) async throws -> [String] {
                try await told { store.devices(of: account, then: $0) }.map(\.token)
            }
            try await set("p1", "ann", at: 1)
            try await set("p2", "ann", at: 2)
            #expect(try await devices("ann") == ["p2", "p1"])
            try await set("p1", "bob", at: 3)
            #expect(try await devices("ann") == ["p2"])
            #expect(try await devices("bob") == ["p1"])
            try await set("p3", "ann", at: 4)
            try await set("p4", "ann", at: 5)
            #expect(try await devices("ann") == ["p4", "p3"])
            try await told { store.removeDevice("p4", then: $0) }
            #expect(try await devices("ann") == ["p3"])
            await #expect(throws: StoreError.notFound("user")) { try await set("p", "nobody", at: 6) }
        }
    }

    @Test("go by what people want", arguments: Backend.allCases)
    func preferences(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            #expect(try await told { store.pushPreferences(of: "ann", then: $0) } == PushPreferences())
            let some = PushPreferences(types: ["room_renamed": false, "room_created": true], mutedRooms: ["r1", "r2"])
            try await told { store.setPushPreferences(some, of: "ann", then: $0) }
            #expect(try await told { store.pushPreferences(of: "ann", then: $0) } == some)
            #expect(some.wants("element_added", from: "r3") && !some.wants("room_renamed", from: "r3"))
            #expect(!some.wants("element_added", from: "r1"))
            let fewer = PushPreferences(types: [:], mutedRooms: ["r2"])
            try await told { store.setPushPreferences(fewer, of: "ann", then: $0) }
            #expect(try await told { store.pushPreferences(of: "ann", then: $0) } == fewer)
        }
    }

    private func push(_ account: String, _ room: String = "r", at: Int64, dueAt: Int64? = nil) -> Push {
        Push(account: account, room: room, type: "element_added", at: at, dueAt: dueAt ?? at, json: Array("{}".utf8))
    }

    private func lease(_ store: any ServerStore, at: Int64, limit: Int = 10) async throws -> [LeasedPush] {
        try await told { store.leasePushes(limit: limit, at: at, forSeconds: 30, then: $0) }
    }

    @Test("are one for each person, room, type and minute", arguments: Backend.allCases)
    func once(backend: Backend) async throws {
        try await withStore(backend) { store in
            let first = [push("ann", at: 60), push("bob", at: 61), push("ann", at: 119), push("ann", "s", at: 60)]
            #expect(try await told { store.enqueue(first, then: $0) } == 3)
            #expect(try await told { store.enqueue([push("ann", at: 100), push("ann", at: 120)], then: $0) } == 1)
            // Also when the first is done with.
            for leased in try await lease(store, at: 500) {
                try await told { store.finishPush(leased.key, outcome: "sent", at: 500, then: $0) }
            }
            #expect(try await told { store.enqueue([push("ann", at: 100)], then: $0) } == 0)
            #expect(try await lease(store, at: 500) == [])
        }
    }

    @Test("are leased to one sender at a time, and again when it has died", arguments: Backend.allCases)
    func leases(backend: Backend) async throws {
        try await withStore(backend) { store in
            func due() async throws -> Int64? { try await told { store.nextPushDue(then: $0) } }
            #expect(try await due() == nil)
            let pushes = [push("ann", at: 60, dueAt: 200), push("bob", at: 60, dueAt: 100)]
            #expect(try await told { store.enqueue(pushes, then: $0) } == 2)
            #expect(try await due() == 100)
            #expect(try await lease(store, at: 99) == [])
            let first = try await lease(store, at: 300, limit: 1)
            #expect(first.map(\.push.account) == ["bob"] && first.map(\.attempts) == [1])
            #expect(try await lease(store, at: 301).map(\.push.account) == ["ann"])
            #expect(try await lease(store, at: 302) == [])
            #expect(try await due() == 330)
            let again = try await lease(store, at: 331)
            #expect(
                again.map(\.push.account) == ["bob", "ann"] || again.map(\.push.account) == ["bob", "ann"].reversed())
            #expect(again.map(\.attempts) == [2, 2])
            let bob = try #require(again.first { $0.push.account == "bob" })
            #expect(bob.key == first.first?.key)
            try await told { store.retryPush(bob.key, dueAt: 1_000, reason: "429", then: $0) }
            #expect(try await lease(store, at: 362).map(\.push.account) == ["ann"])
            #expect(try await lease(store, at: 1_000).map(\.push.account).contains("bob"))
            try await told { store.finishPush(bob.key, outcome: "sent", at: 1_001, then: $0) }
            #expect(try await !lease(store, at: 9_000).map(\.push.account).contains("bob"))
        }
    }

    @Test("are bounded when the provider is gone", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        limits.waitingPushesMax = 3
        try await withStore(backend, limits: limits) { store in
            let pushes = (0..<10).map { push("ann", "r\($0)", at: 60) }
            #expect(try await told { store.enqueue(pushes, then: $0) } == 10)
            try await eventually("the oldest stay") {
                let leased: [LeasedPush] = try await told {
                    store.leasePushes(limit: 10, at: 100, forSeconds: 0, then: $0)
                }
                return leased.map(\.push.room) == ["r7", "r8", "r9"]
            }
        }
    }
}

/// What every store promises of uploaded files.
@Suite("The index of media", .timeLimit(.minutes(1)))
struct MediaContractTests {
    private func record(_ key: String, at: Int64 = 10) -> MediaRecord {
        MediaRecord(
            key: key, owner: "ann", kind: "photo", mime: "image/jpeg", byteCount: 1 << 33, width: 640, height: 480,
            createdAt: at)
    }

    private func orphans(_ store: any ServerStore, before: Int64 = 100) async throws -> [String] {
        let found: [MediaRecord] = try await told { store.orphanedMedia(createdBefore: before, limit: 10, then: $0) }
        return found.map(\.key)
    }

    @Test("knows what was uploaded", arguments: Backend.allCases)
    func records(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            try await told { store.addMedia(record("k"), then: $0) }
            #expect(try await told { store.media("k", then: $0) } == record("k"))
            #expect(try await told { store.media("l", then: $0) } == nil)
            await #expect(throws: StoreError.taken("key")) {
                let _: Void = try await told { store.addMedia(record("k"), then: $0) }
            }
            let audio = MediaRecord(
                key: "a", owner: "ann", kind: "audio", mime: "audio/mp4", byteCount: 5, duration: 1.25, createdAt: 3)
            try await told { store.addMedia(audio, then: $0) }
            #expect(try await told { store.media("a", then: $0) } == audio)
        }
    }

    @Test("has files live as long as an element or a person shows them", arguments: Backend.allCases)
    func uses(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            for (index, key) in ["a", "b", "c", "d"].enumerated() {
                try await told { store.addMedia(record(key, at: 10 + Int64(index)), then: $0) }
            }
            #expect(try await orphans(store) == ["a", "b", "c", "d"])
            #expect(try await orphans(store, before: 12) == ["a", "b"])
            var log = SampleLog()
            try await store.appended([
                log.created("e1", kind: .photo, media: ["a"]), log.created("e2", kind: .photo, media: ["a"]),
                log.created("e3", kind: .photo, media: ["b"]),
            ])
            try await told { store.setMedia(["c"], shownBy: "avatar:ann", then: $0) }
            #expect(try await orphans(store) == ["d"])
            try await store.appended([log.deleted("e1"), log.updated("e3", content: "x", version: 2, media: ["d"])])
            #expect(try await orphans(store) == ["b"])
            try await store.appended([log.deleted("e2")])
            try await told { store.setMedia([], shownBy: "avatar:ann", then: $0) }
            #expect(try await orphans(store) == ["a", "b", "c"])
            // What has come into use since it was listed stays.
            try await told { store.setMedia(["c"], shownBy: "avatar:ann", then: $0) }
            #expect(try await told { store.removeOrphanedMedia(["a", "b", "c", "x"], then: $0) } == ["a", "b"])
            #expect(try await told { store.media("c", then: $0) } == record("c", at: 12))
            #expect(try await told { store.media("a", then: $0) } == nil)
        }
    }
}
