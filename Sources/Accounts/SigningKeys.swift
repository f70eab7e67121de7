import Identity
import Store
import Threads

/// The keys of access tokens, as the store has them. Every node of a cluster signs with the newest and accepts all.
final class SigningKeys: Sendable {
    private struct State {
        var keys: [AccessKey] = []
        var readAt: Int64 = .min
    }

    private let store: any ServerStore
    private let state = Locked(State())
    /// A token with an unknown key must not read the store each time.
    private let rereadSeconds: Int64 = 1
    /// Another node, or `rooms keys rotate`, may have added a key.
    private let refreshSeconds: Int64 = 60

    init(_ store: any ServerStore) {
        self.store = store
    }

    /// The key to sign with. The first call of the first server makes it.
    func current(now: Int64) async throws(AccountFault) -> AccessKey {
        if let key = known(now: now, within: refreshSeconds)?.first { return key }
        if let key = try await read(now: now).first { return key }
        try await store.told { $0.addSigningKey(.random(now: now), isFirst: true, then: $1) }
        guard let key = try await read(now: now).first else { throw .busy }
        return key
    }

    /// The key with an id; nil when there is none.
    func key(_ id: String, now: Int64) async throws(AccountFault) -> AccessKey? {
        if let key = known(now: now, within: refreshSeconds)?.first(where: { $0.id == id }) { return key }
        if known(now: now, within: rereadSeconds) != nil { return nil }
        return try await read(now: now).first { $0.id == id }
    }

    private func known(now: Int64, within seconds: Int64) -> [AccessKey]? {
        state.withLock { $0.readAt > now - seconds && $0.readAt <= now ? $0.keys : nil }
    }

    private func read(now: Int64) async throws(AccountFault) -> [AccessKey] {
        let records = try await store.told { $0.signingKeys(then: $1) }
        let keys = records.compactMap { record in
            Base64URL.decode(Array(record.secret.utf8).span).map { AccessKey(id: record.id, secret: $0) }
        }
        state.withLock { state in
            state.keys = keys
            state.readAt = now
        }
        return keys
    }
}

extension SigningKeyRecord {
    /// A new key that nobody can guess.
    package static func random(now: Int64) -> SigningKeyRecord {
        SigningKeyRecord(
            id: Base64URL.text(RandomBytes.make(9)), secret: Base64URL.text(RandomBytes.make(32)), createdAt: now)
    }
}

extension ServerStore {
    /// Asks and waits for the answer.
    func told<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async throws(AccountFault) -> Value {
        let answer: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            question(self) { continuation.resume(returning: $0) }
        }
        switch answer {
        case .success(let value): return value
        case .failure(.taken("email")): throw .emailTaken
        case .failure(let error): throw .store(error)
        }
    }
}
