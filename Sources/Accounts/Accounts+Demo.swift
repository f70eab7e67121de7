import Store
import Threads

extension Accounts {
    /// Makes the test accounts that the guides of applications name, and stories of theirs, where they are not there yet.
    package func makeTestAccounts(now: Int64) async throws(AccountFault) {
        let accounts = [
            ("Admin", "admin@subspace.dev", AccountHolder.Role.admin), ("Test", "test@subspace.dev", .user),
            ("Alice", "alice@muejam.dev", .user), ("Ben", "ben@muejam.dev", .user),
        ]
        for (name, email, role) in accounts {
            let known = try await store.told { $0.credentials(email: email, then: $1) }
            if known != nil { continue }
            let hash = try await hasher.hash("admin123")
            let new = NewPerson(
                id: Self.newID(), name: name, email: email, role: role, passwordHash: hash, at: now)
            do throws(AccountFault) {
                _ = try await store.told { $0.addPerson(new, then: $1) }
            } catch .emailTaken {
                // Another node was faster.
            }
        }
        _ = try await store.told { $0.importLibrary(Array(DemoLibrary.json.utf8), then: $1) }
    }
}
