import Testing
import Threads

@testable import Store

/// What every store that notifies promises of what people change on one of their devices, and of their balances.
@Suite("Changes of a person's own", .timeLimit(.minutes(1)))
struct OwnChangesContractTests {
    /// Ann has a phone and a tablet, each with a session of its own. The time is at the beginning of a minute.
    private func withAnn(
        _ backend: Backend, notifies: Bool = true, _ body: (any ServerStore, Locked<Int64>) async throws -> Void
    ) async throws {
        let clock = Locked<Int64>(600)
        try await withStore(backend, notifies: notifies, now: { clock.withLock { $0 } }) { store in
            let person = NewPerson(id: "ann", name: "Ann", email: "ann@example.org", passwordHash: "h", at: 10)
            let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            for device in ["phone", "tablet"] {
                try await told { store.setDevice(device, of: "ann", session: "on \(device)", at: 1, then: $0) }
            }
            try await body(store, clock)
        }
    }

    /// The notifications that wait: type, subject, session of the change, and when they are due.
    private func waiting(_ store: any ServerStore) async throws -> Set<String> {
        let pushes: [LeasedPush] = try await told {
            store.leasePushes(limit: 100, at: 1 << 40, forSeconds: 1, then: $0)
        }
        for leased in pushes {
            try await told { store.retryPush(leased.key, dueAt: leased.push.dueAt, reason: "", then: $0) }
        }
        return Set(
            pushes.map { leased in
                let push = leased.push
                return "\(push.type) \(push.room) \(String(decoding: push.json, as: UTF8.self)) \(push.dueAt)"
            })
    }

    private func note(_ id: String, by session: String?, _ store: any ServerStore) async throws {
        let mood = Mood(id: id, person: "ann", scale: 5, note: nil, feltAt: 50, createdAt: 60, updatedAt: 60)
        _ = try await told { store.addMood(mood, comparesTime: true, by: session, then: $0) }
    }

    @Test("are told at once, and what follows in the minute once when the next begins", arguments: Backend.allCases)
    func minute(backend: Backend) async throws {
        try await withAnn(backend) { store, clock in
            let first = #"mood_changed all {"by":"on phone"} 600"#
            try await note("a", by: "on phone", store)
            #expect(try await waiting(store) == [first])
            // Nothing has changed.
            try await note("a", by: "on phone", store)
            #expect(try await told { store.removeMood("x", of: "ann", by: "on phone", then: $0) } == false)
            let nothing = MoodChange(scale: 1, note: nil, feltAt: nil)
            #expect(try await told { store.changeMood("x", of: "ann", nothing, by: nil, at: 610, then: $0) } == nil)
            #expect(try await waiting(store) == [first])
            for second in 601..<640 {
                clock.withLock { $0 = Int64(second) }
                try await note("m\(second)", by: "on phone", store)
            }
            #expect(try await waiting(store) == [first, #"mood_changed all {"by":"on phone"} 660"#])
            // A device that has changed something itself does not know what the other has changed.
            #expect(try await told { store.removeMood("a", of: "ann", by: "on tablet", then: $0) })
            #expect(try await waiting(store) == [first, #"mood_changed all {"by":""} 660"#])
            clock.withLock { $0 = 661 }
            _ = try await told { store.changeMood("m601", of: "ann", nothing, by: "on phone", at: 661, then: $0) }
            let third = #"mood_changed all {"by":"on phone"} 720"#
            #expect(try await waiting(store) == [first, #"mood_changed all {"by":""} 660"#, third])
        }
    }

    @Test("are told once more when the notification for them is on its way already", arguments: Backend.allCases)
    func edge(backend: Backend) async throws {
        try await withAnn(backend) { store, clock in
            try await note("a", by: "on phone", store)
            clock.withLock { $0 = 659 }
            try await note("b", by: "on phone", store)
            // Both are being sent when a change arrives that was dated before.
            let leased: [LeasedPush] = try await told { store.leasePushes(limit: 9, at: 660, forSeconds: 60, then: $0) }
            #expect(leased.map(\.push.dueAt) == [600, 660])
            try await note("c", by: "on tablet", store)
            let later = #"mood_changed all {"by":"on tablet"} 720"#
            #expect(try await waiting(store).contains(later))
            for push in leased {
                try await told { store.finishPush(push.key, outcome: "sent", at: 661, then: $0) }
            }
            #expect(try await waiting(store) == [later])
            // Those that are done are as late.
            clock.withLock { $0 = 720 }
            let next: [LeasedPush] = try await told { store.leasePushes(limit: 9, at: 720, forSeconds: 60, then: $0) }
            for push in next { try await told { store.finishPush(push.key, outcome: "sent", at: 720, then: $0) } }
            clock.withLock { $0 = 659 }
            try await note("d", by: "on phone", store)
            #expect(try await waiting(store) == [#"mood_changed all {"by":"on phone"} 780"#])
        }
    }

    @Test("of profiles are told, with all that belongs to them", arguments: Backend.allCases)
    func profiles(backend: Backend) async throws {
        try await withAnn(backend) { store, clock in
            /// Whether the last change was told; the next one has a minute of its own.
            func isTold() async throws -> Bool {
                let now = clock.withLock { $0 }
                clock.withLock { $0 += 120 }
                return try await waiting(store).contains(#"profile_changed all {"by":"on phone"} \#(now)"#)
            }
            let phone = "on phone"
            let profile = AppProfile(
                id: "p", person: "ann", username: "ann", displayName: "Ann", createdAt: 10, updatedAt: 10)
            let id = ProfileID(of: "ann", "p")
            _ = try await told { store.addProfile(profile, by: phone, then: $0) }
            #expect(try await isTold())
            let change = ProfileChange()
            _ = try await told { store.changeProfile("p", of: "ann", change, by: phone, at: 10, then: $0) }
            #expect(try await isTold())
            let account = SocialAccount(id: "s", platform: "x", account: "1", username: "u", connectedAt: 10)
            try await told { store.link(account, to: id, by: phone, then: $0) }
            #expect(try await isTold())
            for (kind, connection, expected) in [
                (ProfileConnection.socialAccount, "s", true), (.socialAccount, "s", false), (.app, "x", false),
            ] {
                _ = try await told { store.disconnect(kind, connection, from: id, by: phone, then: $0) }
                #expect(try await isTold() == expected, "\(kind) \(connection)")
            }
            for expected in [true, false] {
                _ = try await told { store.removeProfile("p", of: "ann", by: phone, then: $0) }
                #expect(try await isTold() == expected)
            }
        }
    }

    @Test("are told to no device when the only one has made them, or none notifies", arguments: Backend.allCases)
    func alone(backend: Backend) async throws {
        try await withAnn(backend) { store, _ in
            let isThere = try await told {
                store.unregisterDevice("tablet", of: "ann", app: Device.rooms, then: $0)
            }
            #expect(isThere)
            try await note("a", by: "on phone", store)
            #expect(try await waiting(store) == [])
            // A change on a device without notifications, such as a browser.
            try await note("b", by: "on the board", store)
            #expect(try await waiting(store) == [#"mood_changed all {"by":"on the board"} 600"#])
        }
        try await withAnn(backend, notifies: false) { store, _ in
            try await note("a", by: "on phone", store)
            #expect(try await waiting(store) == [])
        }
    }

    @Test("are told to devices of their application alone", arguments: Backend.allCases)
    func applications(backend: Backend) async throws {
        try await withAnn(backend) { store, _ in
            for device in ["phone", "tablet"] { try await told { store.removeDevice(device, then: $0) } }
            func register(_ app: String) async throws {
                let new = NewDevice(
                    token: "with \(app)", platform: .ios, account: "ann", app: app, appVersion: nil, newName: "n",
                    session: "on \(app)")
                let _: Device = try await told { store.registerDevice(new, at: 1, then: $0) }
            }
            let wallet = Wallet(id: "w", person: "ann", address: "w", kind: "metamask", createdAt: 10, usedAt: 10)
            _ = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
            func claim(at now: Int64) async throws -> [String] {
                try await told { store.claimWallets(limit: 2, lastBefore: now - 1, at: now, then: $0) }.map(\.id)
            }
            for app in ["subspace", "muejam"] { try await register(app) }
            try await note("a", by: "elsewhere", store)
            #expect(try await waiting(store) == [])
            #expect(try await claim(at: 100) == [])
            try await register("soul")
            try await note("b", by: "elsewhere", store)
            let mood = #"mood_changed all {"by":"elsewhere"} 600"#
            #expect(try await waiting(store) == [mood])
            #expect(try await claim(at: 200) == [])
            try await register("interspace")
            #expect(try await claim(at: 300) == ["w"])
        }
    }

    @Test("of balances are told when another balance was known", arguments: Backend.allCases)
    func balances(backend: Backend) async throws {
        try await withAnn(backend) { store, clock in
            let wallet = Wallet(id: "w", person: "ann", address: "0x1", kind: "metamask", createdAt: 10, usedAt: 10)
            _ = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
            func keep(_ json: String) async throws -> Set<String> {
                _ = try await told { store.keepBalances(Array(json.utf8), of: "w", then: $0) }
                return try await waiting(store)
            }
            #expect(try await keep(#"{"ETH":"1"}"#) == [])
            #expect(try await keep(#"{"ETH":"1"}"#) == [])
            let one = #"balance_changed w {"by":""} 600"#
            #expect(try await keep(#"{"ETH":"2"}"#) == [one])
            #expect(try await keep(#"{"ETH":"3"}"#) == [one])
            clock.withLock { $0 = 700 }
            #expect(try await keep(#"{"ETH":"4"}"#) == [one, #"balance_changed w {"by":""} 700"#])
        }
    }

    @Test("of balances are looked for in turn, for devices that want them", arguments: Backend.allCases)
    func claims(backend: Backend) async throws {
        try await withAnn(backend) { store, _ in
            for id in ["w1", "w2", "w3"] {
                let wallet = Wallet(id: id, person: "ann", address: id, kind: "metamask", createdAt: 10, usedAt: 10)
                _ = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
            }
            func claim(at now: Int64, lastBefore: Int64) async throws -> [String] {
                try await told { store.claimWallets(limit: 2, lastBefore: lastBefore, at: now, then: $0) }.map(\.id)
                    .sorted()
            }
            #expect(try await claim(at: 1_000, lastBefore: 900) == ["w1", "w2"])
            #expect(try await claim(at: 1_001, lastBefore: 901) == ["w3"])
            #expect(try await claim(at: 1_002, lastBefore: 902) == [])
            #expect(try await claim(at: 1_101, lastBefore: 1_001) == ["w1", "w2"])
            let unwanted = PushPreferences(types: ["balance_changed": false])
            try await told { store.setPushPreferences(unwanted, of: "ann", then: $0) }
            #expect(try await claim(at: 9_000, lastBefore: 8_000) == [])
            try await told { store.setPushPreferences(PushPreferences(), of: "ann", then: $0) }
            for device in ["phone", "tablet"] { try await told { store.removeDevice(device, then: $0) } }
            #expect(try await claim(at: 9_001, lastBefore: 8_001) == [])
        }
        try await withAnn(backend, notifies: false) { store, _ in
            let wallet = Wallet(id: "w", person: "ann", address: "w", kind: "metamask", createdAt: 10, usedAt: 10)
            _ = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
            #expect(try await told { store.claimWallets(limit: 2, lastBefore: 900, at: 1_000, then: $0) } == [])
        }
    }
}
