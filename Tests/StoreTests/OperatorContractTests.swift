import Testing

@testable import Store

/// What every store promises of what operators decide and do.
@Suite("Operators' decisions", .timeLimit(.minutes(1)))
struct OperatorContractTests {
    private func ban(
        _ subject: BanSubject, reason: String = "why", at: Int64 = 10, endsAt: Int64 = 100, in store: any ServerStore
    ) async throws {
        try await told { store.keepBan(Ban(subject, reason: reason, madeAt: at, endsAt: endsAt), then: $0) }
    }

    private func banned(at now: Int64 = 20, in store: any ServerStore) async throws -> [String] {
        try await told { store.bans(at: now, then: $0) }.map {
            "\($0.subject.kind) \($0.subject.id) \($0.reason) \($0.endsAt)"
        }
    }

    @Test("are bans, one for each subject, until they end or are lifted", arguments: Backend.allCases)
    func bans(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.bansMax = 3
        try await withStore(backend, limits: limits, now: { 1 }) { store in
            let (ada, address) = (BanSubject(.person, "ada\u{0}%"), BanSubject(.address, "2001:db8::"))
            try await ban(ada, in: store)
            try await ban(address, endsAt: 50, in: store)
            try await ban(BanSubject(.address, "ada\u{0}%"), endsAt: 60, in: store)
            #expect(
                try await banned(in: store)
                    == ["address 2001:db8:: why 50", "address ada\u{0}% why 60", "person ada\u{0}% why 100"])
            await #expect(throws: StoreError.conflict("There are 3 bans already; lift one first.")) {
                try await ban(BanSubject(.person, "ben"), in: store)
            }
            // One that is there may always be changed, and those that have ended count no more.
            try await ban(ada, reason: "again", endsAt: 200, in: store)
            #expect(try await banned(at: 60, in: store) == ["person ada\u{0}% again 200"])
            try await ban(BanSubject(.person, "ben"), at: 55, endsAt: 300, in: store)
            #expect(try await told { store.liftBan(ada, then: $0) })
            #expect(try await !told { store.liftBan(ada, then: $0) })
            #expect(try await banned(at: 60, in: store) == ["person ben why 300"])
        }
    }

    @Test("are lines of a log, page by page, the newest first", arguments: Backend.allCases)
    func audit(backend: Backend) async throws {
        try await withStore(backend, limits: .quick, now: { 1 }) { store in
            for (id, at) in [("b", 2), ("a", 2), ("c", 1), ("d", 3)] {
                try await told { store.addAudit(.sample(id, at: Int64(at)), then: $0) }
            }
            let first = try await told { store.audit(PageRequest(limit: 3), then: $0) }
            #expect(first.items.map(\.id) == ["d", "b", "a"] && first.items.first == .sample("d", at: 3))
            let rest = try await told { store.audit(PageRequest(limit: 3, cursor: first.next), then: $0) }
            #expect(rest.items.map(\.id) == ["c"] && rest.next == nil)
            let times = try await told { store.auditTimes(of: "ban", server: 2, since: 2, then: $0) }
            #expect(times == [2, 2, 3])
            #expect(try await told { store.auditTimes(of: "start", server: 2, since: 0, then: $0) } == [])
            #expect(try await told { store.auditTimes(of: "ban", server: 1, since: 0, then: $0) } == [])
        }
    }

    @Test("are removed when they are too old or too many", arguments: Backend.allCases)
    func sweep(backend: Backend) async throws {
        var limits = StoreLimits.quick
        (limits.auditEntriesMax, limits.sweepMilliseconds) = (2, 20)
        let end = limits.auditSecondsMax + 9
        try await withStore(backend, limits: limits, now: { end + 1 }) { store in
            try await ban(BanSubject(.person, "ada"), endsAt: 50, in: store)
            try await told { store.addAudit(.sample("old", at: 9_000), then: $0) }
            let last = end * 1_000
            for id in ["a", "b", "c"] { try await told { store.addAudit(.sample(id, at: last), then: $0) } }
            while true {
                let left = try await told { store.audit(PageRequest(), then: $0) }.items.map(\.id)
                if left == ["c", "b"], try await banned(at: 20, in: store).isEmpty { break }
            }
        }
    }

    @Test("find rooms by a part of their id or name", arguments: Backend.allCases)
    func rooms(backend: Backend) async throws {
        try await withStore(backend, limits: .quick, now: { 1 }) { store in
            try await store.people("ann")
            for (index, id) in ["Plans-1", "plans_2", "100%", "other"].enumerated() {
                try await store.made(id, by: "ann", at: Int64(index) + 10)
            }
            func found(_ text: String, limit: Int = 10, _ cursor: String? = nil) async throws -> Page<RoomSummary> {
                try await told {
                    store.findRooms(containing: text, PageRequest(limit: limit, cursor: cursor), then: $0)
                }
            }
            #expect(try await found("").items.map(\.id) == ["other", "100%", "plans_2", "Plans-1"])
            #expect(try await found("LANS").items.map(\.id) == ["plans_2", "Plans-1"])
            #expect(try await found("s_").items.map(\.id) == ["plans_2"])
            #expect(try await found("%").items.map(\.id) == ["100%"])
            #expect(try await found("\\").items.isEmpty)
            let first = try await found("lans", limit: 1)
            #expect(try await found("lans", limit: 1, first.next).items.map(\.id) == ["Plans-1"])
        }
    }
}

extension AuditEntry {
    static func sample(_ id: String, at: Int64) -> AuditEntry {
        AuditEntry(
            at: at, id: id, server: 2, asker: "192.0.2.1", action: "ban", subject: "person ada\u{0}", outcome: "done")
    }
}
