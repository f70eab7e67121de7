import Testing

@testable import Store

/// What every store promises of people.
@Suite("Accounts", .timeLimit(.minutes(1)))
struct AccountContractTests {
    @Test("come to be with the first token and stay the same", arguments: Backend.allCases)
    func signIn(backend: Backend) async throws {
        try await withStore(backend) { store in
            let first: Account = try await told {
                store.signIn(sub: "auth0|1", email: "a@example.org", newID: "u1", at: 5, then: $0)
            }
            #expect(
                first
                    == Account(
                        id: "u1", sub: "auth0|1", email: "a@example.org", profile: nil, createdAt: 5, updatedAt: 5))
            let second: Account = try await told {
                store.signIn(sub: "auth0|1", email: "b@example.org", newID: "u2", at: 6, then: $0)
            }
            #expect(second.id == "u1" && second.email == "b@example.org" && second.createdAt == 5)
            #expect(try await told { store.account("u1", then: $0) } == second)
            #expect(try await told { store.account("u2", then: $0) } == nil)
            #expect(try await told { store.accounts(["x", "u1"], then: $0) } == [second])
        }
    }

    @Test("have usernames of their own, whatever the case", arguments: Backend.allCases)
    func usernames(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann", "bob")
            func rename(_ id: String, _ name: String) async throws -> Account {
                let profile = Profile(username: name, firstName: "A", dateOfBirth: 1, avatarURL: "https://x/y")
                return try await told { store.setProfile(profile, .new(file: nil), of: id, at: 12, then: $0) }
            }
            await #expect(throws: StoreError.taken("username")) { _ = try await rename("bob", "aNN") }
            await #expect(throws: StoreError.notFound("user")) { _ = try await rename("nobody", "new") }
            #expect(try await rename("ann", "ANN").profile?.username == "ANN")
            #expect(try await rename("ann", "anna").profile?.avatarURL == "https://x/y")
            #expect(try await rename("bob", "ann").profile?.username == "ann")
        }
    }

    /// Of two changes at a time the file of the picture that is shown counted for nothing.
    @Test("have a picture whose file counts as shown", arguments: Backend.allCases)
    func pictures(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("ann")
            for key in ["a", "b"] {
                let file = MediaRecord(
                    key: key, owner: "ann", kind: "avatar", mime: "image/png", byteCount: 9, createdAt: 1)
                try await told { store.addMedia(file, then: $0) }
            }
            func set(_ url: String?, _ picture: ProfilePicture) async throws -> String? {
                let profile = Profile(username: "ann", firstName: "A", dateOfBirth: 1, avatarURL: url)
                let account: Account = try await told {
                    store.setProfile(profile, picture, of: "ann", at: 12, then: $0)
                }
                return account.profile?.avatarURL
            }
            func shown() async throws -> [String] {
                let unused = try await told { store.orphanedMedia(createdBefore: 9, limit: 9, then: $0) }.map(\.key)
                return ["a", "b"].filter { !unused.contains($0) }
            }
            #expect(try await set("https://x/a", .new(file: "a")) == "https://x/a")
            #expect(try await shown() == ["a"])
            #expect(try await set("https://x/b", .new(file: "b")) == "https://x/b")
            #expect(try await shown() == ["b"])
            #expect(try await set(nil, .kept) == "https://x/b")
            #expect(try await shown() == ["b"])
            #expect(try await set(nil, .new(file: nil)) == nil)
            #expect(try await shown() == [])
        }
    }

    private func search(
        _ store: any ServerStore, _ prefix: String, limit: Int = 50, cursor: String? = nil
    ) async throws -> Page<Account> {
        let page = PageRequest(limit: limit, cursor: cursor)
        return try await told { store.searchAccounts(usernamePrefix: prefix, excluding: "me", page, then: $0) }
    }

    @Test("are found by how their username begins, page by page", arguments: Backend.allCases)
    func search(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("me", "meg", "Mel", "m_x", "m.x", "n", "mez", "me%", "MERRY")
            let _: Account = try await told {
                store.signIn(sub: "s", email: "e", newID: "mex", at: 1, then: $0)
            }
            func names(_ page: Page<Account>) -> [String] { page.items.compactMap { $0.profile?.username } }
            #expect(try await names(search(store, "me")) == ["me%", "meg", "Mel", "MERRY", "mez"])
            #expect(try await names(search(store, "M_")) == ["m_x"])
            #expect(try await names(search(store, "%")) == [])
            #expect(try await search(store, "").items.count == 8)
            var seen: [String] = []
            var cursor: String?
            repeat {
                let page = try await search(store, "m", limit: 3, cursor: cursor)
                seen += names(page)
                cursor = page.next
            } while cursor != nil
            #expect(seen == ["m.x", "m_x", "me%", "meg", "Mel", "MERRY", "mez"])
            await #expect(throws: StoreError.badCursor) { _ = try await search(store, "m", cursor: "a\nb") }
        }
    }

    @Test("without a common room are those with whom none is active", arguments: Backend.allCases)
    func withoutRooms(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.people("me", "ann", "bob", "cid", "dan")
            try await store.made("r1", by: "me", with: "ann")
            try await store.made("r2", by: "bob", with: "me")
            try await store.made("r3", by: "me", with: "cid", "dan")
            func others() async throws -> [String] {
                let page: Page<Account> = try await told {
                    store.accountsWithoutRooms(with: "me", PageRequest(), then: $0)
                }
                return page.items.map(\.id)
            }
            func share(_ one: String, _ other: String) async throws -> Bool {
                try await told { store.shareRoom(one, other, then: $0) }
            }
            #expect(try await others() == [])
            #expect(try await share("cid", "dan"))
            #expect(try await !share("ann", "bob"))
            let _: RoomRecord = try await told { store.closeRoom("r1", at: 30, then: $0) }
            let _: RoomRecord = try await told { store.removeMember("dan", from: "r3", at: 30, then: $0) }
            #expect(try await others() == ["ann", "dan"])
            #expect(try await !share("cid", "dan"))
            let _: RoomRecord = try await told { store.removeMember("me", from: "r2", at: 30, then: $0) }
            #expect(try await others() == ["ann", "bob", "dan"])
        }
    }
}
