import Testing

@testable import Store

/// What every store promises of devices that have a request of their own each, and of what was delivered to them.
@Suite("Devices", .timeLimit(.minutes(1)))
struct DeviceContractTests {
    private func register(
        _ store: any ServerStore, _ token: String, of account: String, app: String = "app", version: String? = nil,
        at now: Int64
    ) async throws -> Device {
        let new = NewDevice(
            token: token, platform: .ios, account: account, app: app, appVersion: version, newName: "n\(now)",
            session: "s\(now)")
        return try await told { store.registerDevice(new, at: now, then: $0) }
    }

    @Test("stay when they are the newest, also beside others of the same second", arguments: Backend.allCases)
    func newest(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            for number in 0...StoreLimits.quick.devicesPerAccountMax {
                let token = "t\(100 + number)"
                #expect(try await register(store, token, of: "ann", at: 5).token == token)
            }
        }
    }

    @Test("have one row for each token, with a name and wishes that stay", arguments: Backend.allCases)
    func registered(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            let first = try await register(store, "t", of: "ann", version: "1.0", at: 5)
            let expected = Device(
                token: "t", account: "ann", platform: .ios, app: "app", appVersion: "1.0", name: "n5", createdAt: 5,
                session: "s5")
            #expect(first == expected)
            func wish(_ types: [String: Bool], _ account: String = "ann", app: String = "app") async throws
                -> [String: Bool]?
            {
                try await told { store.setDeviceTypes(types, of: "t", account, app: app, then: $0) }
            }
            #expect(try await wish(["a": false]) == ["a": false])
            #expect(try await wish(["b": true, "a": true]) == ["a": true, "b": true])
            #expect(try await wish(["a": false], "bob") == nil)
            #expect(try await wish(["a": false], app: "other") == nil)
            let again = try await register(store, "t", of: "ann", version: "1.1", at: 9)
            #expect(again.name == "n5" && again.createdAt == 5 && again.appVersion == "1.1")
            #expect(again.session == "s9")
            #expect(again.types == ["a": true, "b": true] && again.wants("x"))
            // Another user's or another application's is a new one.
            let other = try await register(store, "t", of: "bob", at: 10)
            #expect(other.name == "n10" && other.types == [:])
            #expect(try await told { store.devices(of: "ann", then: $0) } == [])
            let moved = try await register(store, "t", of: "bob", app: "other", at: 11)
            #expect(moved.name == "n11" && moved.app == "other")
            await #expect(throws: StoreError.notFound("user")) {
                _ = try await register(store, "t", of: "nobody", at: 12)
            }
        }
    }

    @Test("go when their users or their providers say so", arguments: Backend.allCases)
    func removed(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            _ = try await register(store, "t", of: "ann", at: 100)
            func unregister(_ account: String, _ app: String = "app") async throws -> Bool {
                try await told { store.unregisterDevice("t", of: account, app: app, then: $0) }
            }
            #expect(try await !unregister("bob"))
            #expect(try await !unregister("ann", "other"))
            // The provider has not known it before it was registered again.
            try await told { store.removeDevice("t", unlessSeenAfter: 99, then: $0) }
            #expect(try await told { store.devices(of: "ann", then: $0) }.count == 1)
            try await told { store.removeDevice("t", unlessSeenAfter: 100, then: $0) }
            #expect(try await told { store.devices(of: "ann", then: $0) } == [])
            _ = try await register(store, "t", of: "ann", at: 200)
            #expect(try await unregister("ann"))
            #expect(try await !unregister("ann"))
        }
    }

    @Test("get each notification once, with the badge of its first attempt", arguments: Backend.allCases)
    func delivered(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            _ = try await register(store, "t", of: "ann", at: 1)
            let pushes = ["r1", "r2"].map {
                Push(account: "ann", room: $0, type: "x", at: 60, dueAt: 60, json: Array("{}".utf8))
            }
            #expect(try await told { store.enqueue(pushes, then: $0) } == 2)
            let leased: [LeasedPush] = try await told {
                store.leasePushes(limit: 10, at: 100, forSeconds: 30, then: $0)
            }
            let keys = leased.map(\.key)
            func begin(_ key: Int64, _ token: String = "t") async throws -> [Int64] {
                let result = try await told { store.beginDelivery(key, to: token, counts: token != "silent", then: $0) }
                return [result.badge, result.isDone ? 1 : 0]
            }
            #expect(try await begin(keys[0]) == [1, 0])
            #expect(try await begin(keys[1]) == [2, 0])
            #expect(try await begin(keys[0]) == [1, 0])
            try await told { store.finishDelivery(keys[0], to: "t", outcome: "sent", then: $0) }
            #expect(try await begin(keys[0]) == [1, 1])
            #expect(try await begin(keys[0], "unknown") == [0, 0])
            _ = try await register(store, "silent", of: "ann", at: 1)
            #expect(try await begin(keys[0], "silent") == [0, 0])
            // The application was opened.
            #expect(try await register(store, "t", of: "ann", at: 2).badge == 0)
            func state(_ subject: String) async throws -> PushState? {
                try await told { store.pushState(of: "ann", about: subject, type: "x", then: $0) }
            }
            #expect(try await state("r1") == PushState(isDone: false, outcome: nil))
            try await told { store.retryPush(keys[0], dueAt: 500, reason: "why", then: $0) }
            #expect(try await state("r1") == PushState(isDone: false, outcome: "why"))
            try await told { store.finishPush(keys[0], outcome: "sent", at: 101, then: $0) }
            #expect(try await state("r1") == PushState(isDone: true, outcome: "sent"))
            #expect(try await state("r9") == nil)
            // What was delivered is of no use when the whole is done.
            #expect(try await begin(keys[0]) == [1, 0])
        }
    }
}

/// What every store promises of uploads.
@Suite("Uploads", .timeLimit(.minutes(1)))
struct UploadContractTests {
    private func upload(_ id: String, of account: String = "ann", bytes: Int64 = 25, endsAt: Int64? = 100) -> Upload {
        Upload(
            id: id, account: account, filename: "a.mp4", mime: "video/mp4", byteCount: bytes, chunkBytes: 10,
            createdAt: 1, endsAt: endsAt)
    }

    private func file(_ key: String, at now: Int64 = 5) -> MediaRecord {
        MediaRecord(
            key: key, owner: "ann", kind: "upload", mime: "video/mp4", byteCount: 24, width: 2, height: 3,
            duration: 1.5,
            createdAt: now)
    }

    @Test("know which chunks they need")
    func chunks() {
        let some = upload("u")
        #expect(some.chunkCount == 3 && (0...4).map { some.bytes(ofChunk: $0) } == [nil, 10, 10, 5, nil])
        #expect(upload("u", bytes: 20).chunkCount == 2 && upload("u", bytes: 20).bytes(ofChunk: 2) == 10)
        #expect(upload("u", bytes: 1).chunkCount == 1 && upload("u", bytes: 1).bytes(ofChunk: 1) == 1)
    }

    @Test("take chunks in any order, each once, and are completed once", arguments: Backend.allCases)
    func completed(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            try await told { store.beginUpload(self.upload("u"), then: $0) }
            func note(_ number: Int, _ bytes: Int64 = 10, _ account: String = "ann", at now: Int64 = 2) async throws
                -> Int64?
            {
                try await told { store.noteChunk(number, bytes: bytes, of: "u", account, at: now, then: $0) }
            }
            #expect(try await note(2) == 10)
            #expect(try await note(2) == 10)
            #expect(try await note(3, 5) == 15)
            #expect(try await note(1, 9) == nil)
            #expect(try await note(1, 10, "bob") == nil)
            #expect(try await note(1, at: 100) == nil)
            #expect(try await note(1) == 25)
            let state: UploadState? = try await told { store.upload("u", of: "ann", at: 3, then: $0) }
            #expect(state == UploadState(upload: upload("u"), chunks: [1, 2, 3], files: [], failure: nil))
            #expect(try await told { store.upload("u", of: "bob", at: 3, then: $0) } == nil)
            #expect(try await told { store.upload("u", of: "ann", at: 100, then: $0) } == nil)
            #expect(try await told { store.isOpenUpload("u", then: $0) })
            func complete(_ keys: [String]) async throws -> [String]? {
                let files = keys.map { file($0) }
                return try await told {
                    store.completeUpload("u", of: "ann", with: files, at: 4, then: $0)
                }?.files.map(\.key)
            }
            #expect(try await complete(["v.mp4", "p.jpg"]) == ["v.mp4", "p.jpg"])
            // Another attempt's files are of no use.
            #expect(try await complete(["w.mp4"]) == ["v.mp4", "p.jpg"])
            #expect(try await told { store.media("w.mp4", then: $0) } == nil)
            let done: UploadState? = try await told { store.upload("u", of: "ann", at: 1_000, then: $0) }
            #expect(done?.files.map(\.key) == ["v.mp4", "p.jpg"] && done?.upload.endsAt == nil && done?.chunks == [])
            #expect(try await note(1) == nil)
            #expect(try await !told { store.isOpenUpload("u", then: $0) })
            // Its files are shown by it.
            let orphans: [MediaRecord] = try await told {
                store.orphanedMedia(createdBefore: 1_000, limit: 10, then: $0)
            }
            #expect(orphans == [])
        }
    }

    @Test("keep what is wrong with their file as their answer, without chunks", arguments: Backend.allCases)
    func failed(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.openUploadsMax = 1
        try await withStore(backend, limits: limits) { store in
            try await store.people("ann", "bob")
            try await told { store.beginUpload(self.upload("u"), then: $0) }
            for number in 1...2 {
                _ = try await told { store.noteChunk(number, bytes: 10, of: "u", "ann", at: 2, then: $0) }
            }
            func fail(
                _ account: String, _ failure: String, _ id: String = "u", attemptsMax: Int = 1
            ) async throws -> UploadState? {
                try await told {
                    store.failUpload(id, of: account, because: failure, attemptsMax: attemptsMax, at: 3, then: $0)
                }
            }
            #expect(try await fail("bob", "damaged") == nil)
            // A fault that may pass is counted, and nothing is lost before the last attempt.
            let tried = UploadState(upload: upload("u"), chunks: [1, 2], files: [], failure: nil)
            for _ in 1...2 { #expect(try await fail("ann", "unfinished", attemptsMax: 3) == tried) }
            #expect(try await told { store.isOpenUpload("u", then: $0) })
            let failed = UploadState(upload: upload("u"), chunks: [], files: [], failure: "damaged")
            #expect(try await fail("ann", "damaged", attemptsMax: 3) == failed)
            // The first one counts.
            #expect(try await fail("ann", "costly") == failed)
            let late: UploadState? = try await told {
                store.completeUpload("u", of: "ann", with: [self.file("v.mp4")], at: 4, then: $0)
            }
            #expect(late == failed)
            #expect(try await told { store.media("v.mp4", then: $0) } == nil)
            #expect(try await told { store.noteChunk(3, bytes: 5, of: "u", "ann", at: 4, then: $0) } == nil)
            #expect(try await told { store.upload("u", of: "ann", at: 5, then: $0) } == failed)
            #expect(try await !told { store.isOpenUpload("u", then: $0) })
            // It takes no place of those that go on, and goes with its time.
            try await told { store.beginUpload(self.upload("w"), then: $0) }
            #expect(try await told { store.abandonedUploads(at: 100, limit: 10, then: $0) }.contains("u"))
            _ = try await told {
                store.completeUpload("w", of: "ann", with: [self.file("w.mp4")], at: 4, then: $0)
            }
            #expect(try await fail("ann", "damaged", "w")?.files.map(\.key) == ["w.mp4"])
        }
    }

    @Test("that take too long are abandoned, and so are those of accounts that end", arguments: Backend.allCases)
    func abandoned(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            try await told { store.beginUpload(self.upload("u", endsAt: 100), then: $0) }
            try await told { store.beginUpload(self.upload("v", endsAt: 200), then: $0) }
            func found(at now: Int64) async throws -> [String] {
                try await told { store.abandonedUploads(at: now, limit: 10, then: $0) }
            }
            #expect(try await found(at: 99) == [])
            #expect(try await found(at: 100) == ["u"])
            #expect(try await found(at: 200) == ["u", "v"])
            _ = try await told { store.noteChunk(1, bytes: 10, of: "u", "ann", at: 2, then: $0) }
            try await told { store.removeUploads(["u"], then: $0) }
            #expect(try await found(at: 200) == ["v"])
            try await told { store.keepUpload(self.upload("w", endsAt: nil), with: [self.file("w.mp4")], then: $0) }
            try await told { store.removeUploads(["w"], then: $0) }
            #expect(try await told { store.upload("w", of: "ann", at: 1_000, then: $0) }?.files.map(\.key) == ["w.mp4"])
        }
    }

    @Test("are bounded for each user", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        (limits.openUploadsMax, limits.uploadsMax) = (2, 3)
        try await withStore(backend, limits: limits) { store in
            try await store.people("ann", "bob")
            for id in ["u", "v"] { try await told { store.beginUpload(self.upload(id), then: $0) } }
            await #expect(throws: StoreError.self) {
                try await told { store.beginUpload(self.upload("x"), then: $0) }
            }
            try await told { store.keepUpload(self.upload("w", endsAt: nil), with: [self.file("w.mp4")], then: $0) }
            await #expect(throws: StoreError.self) {
                try await told { store.keepUpload(self.upload("x", endsAt: nil), with: [self.file("x.mp4")], then: $0) }
            }
            #expect(try await told { store.media("x.mp4", then: $0) } == nil)
            try await told { store.beginUpload(self.upload("x", of: "bob"), then: $0) }
        }
    }
}
