import Identity
import Store
import Threads

/// The keys of access tokens, as the store has them. Every node of a cluster accepts all of them.
final class SigningKeys: Sendable {
    private struct Key: Sendable {
        let key: AccessKey
        let createdAt: Int64
    }

    private struct State {
        var keys: [Key] = []
        var readAt: Int64?
        var readsBegun = 0
        /// The number of the read that `keys` came from.
        var newestRead = 0

        /// How many seconds ago the keys were read; nil when they were not, or the clock was set back.
        func age(_ now: Int64) -> Int64? { readAt.flatMap { $0 <= now ? now - $0 : nil } }
    }

    private let store: any ServerStore
    private let state = Locked(State())
    /// A token with an unknown key must not read the store each time.
    private let rereadSeconds: Int64 = 1
    /// Another node, or `rooms keys rotate`, may have added a key.
    private let refreshSeconds = KeyTimes.newSeconds

    init(_ store: any ServerStore) {
        self.store = store
    }

    /// The key to sign with. The first call of the first server makes it. A new key is used only when every server
    /// has read it.
    func current(now: Int64) async throws(AccountFault) -> AccessKey {
        let (keys, age) = state.withLock { ($0.keys, $0.age(now)) }
        if let age, age < refreshSeconds, let key = Self.current(keys, now: now - refreshSeconds) { return key }
        if let key = Self.current(try await read(now: now), now: now - refreshSeconds) { return key }
        try await store.told { $0.addSigningKey(.random(now: now), isFirst: true, then: $1) }
        guard let key = Self.current(try await read(now: now), now: now - refreshSeconds) else { throw .busy }
        return key
    }

    /// The newest key that is old enough; before there is one, the oldest.
    private static func current(_ keys: [Key], now: Int64) -> AccessKey? {
        (keys.first { $0.createdAt <= now } ?? keys.last)?.key
    }

    /// The key with an id; nil when there is none.
    func key(_ id: String, now: Int64) async throws(AccountFault) -> AccessKey? {
        // One look for both questions: between two looks another request may read the keys.
        let (keys, age) = state.withLock { ($0.keys, $0.age(now)) }
        if let age, age < refreshSeconds, let key = keys.first(where: { $0.key.id == id }) { return key.key }
        if let age, age < rereadSeconds { return nil }
        return try await read(now: now).first { $0.key.id == id }?.key
    }

    /// All keys that may have made a code, newly read unless another request has read them in this second.
    func all(now: Int64) async throws(AccountFault) -> [AccessKey] {
        let (keys, age) = state.withLock { ($0.keys, $0.age(now)) }
        if let age, age < rereadSeconds, !keys.isEmpty { return keys.map(\.key) }
        return try await read(now: now).map(\.key)
    }

    private func read(now: Int64) async throws(AccountFault) -> [Key] {
        let number = state.withLock { state in
            state.readsBegun += 1
            return state.readsBegun
        }
        let records = try await store.told { $0.signingKeys(then: $1) }
        let keys = records.inUse(at: now).compactMap { record in
            Base64URL.decode(Array(record.secret.utf8).span).map {
                Key(key: AccessKey(id: record.id, secret: $0), createdAt: record.createdAt)
            }
        }
        state.withLock { state in
            // A read that began later has ended already. This one may lack a key that was made meanwhile.
            guard number > state.newestRead else { return }
            (state.keys, state.readAt, state.newestRead) = (keys, now, number)
        }
        return keys
    }
}

/// The times of a signing key.
package enum KeyTimes {
    /// How long a key is there before it signs: every server has read it then.
    package static let newSeconds: Int64 = 60
}

extension [SigningKeyRecord] {
    /// Those whose last token has not ended. The newest come first; the store removes the others from time to time.
    package func inUse(at now: Int64) -> [SigningKeyRecord] {
        let end = now - StoreLimits().replacedKeySecondsMax
        guard let last = firstIndex(where: { $0.createdAt <= end }) else { return self }
        return Array(prefix(through: last))
    }
}

extension SigningKeyRecord {
    /// A new random key.
    package static func random(now: Int64) -> SigningKeyRecord {
        SigningKeyRecord(
            id: Base64URL.text(RandomBytes.make(9)), secret: Base64URL.text(RandomBytes.make(32)), createdAt: now)
    }
}

extension ServerStore {
    /// Asks and waits for the answer.
    package func told<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async throws(AccountFault) -> Value {
        let answer: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            question(self) { continuation.resume(returning: $0) }
        }
        switch answer {
        case .success(let value): return value
        case .failure(.ended): throw .token(TokenError(.ended))
        case .failure(.taken("email")): throw .emailTaken
        case .failure(.taken("passkey")): throw .passkeyTaken
        case .failure(.taken("wallet")): throw .walletTaken
        case .failure(.usedUp(Accounts.all(.text), let seconds)), .failure(.usedUp(Accounts.all(.mail), let seconds)):
            throw .codesUsedUp(waitSeconds: Int(seconds))
        case .failure(.usedUp(_, let seconds)): throw .tooManyAttempts(waitSeconds: Int(seconds))
        case .failure(let error): throw .store(error)
        }
    }
}
