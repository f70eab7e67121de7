import Store
import Threads

extension Accounts {
    /// Makes the test accounts that the guides of applications name, and stories of theirs, where they are not there yet.
    ///
    /// - Returns: their addresses, and the password of all.
    package func makeTestAccounts(now: Int64) async throws(AccountFault) -> (emails: [String], password: String) {
        let accounts = [
            ("Admin", "admin@subspace.dev", AccountHolder.Role.admin), ("Test", "test@subspace.dev", .user),
            ("Alice", "alice@muejam.dev", .user), ("Ben", "ben@muejam.dev", .user),
        ]
        let password = "admin123"
        for (name, email, role) in accounts {
            let known = try await store.told { $0.credentials(email: email, then: $1) }
            if known != nil { continue }
            let hash = try await hasher.hash(password)
            let new = NewPerson(
                id: Self.newID(), name: name, email: email, role: role, passwordHash: hash, at: now)
            do throws(AccountFault) {
                _ = try await store.told { $0.addPerson(new, then: $1) }
            } catch .emailTaken {
                // Another node was faster.
            }
        }
        _ = try await store.told { $0.importLibrary(Array(DemoLibrary.json.utf8), then: $1) }
        return (accounts.map(\.1), password)
    }
}
