import Identity
import Store
import Threads

/// Apple is told when the account of one of its users has ended.
extension Accounts {
    private static let pauseSeconds: Int64 = 600

    /// Keeps what Apple gives for the code of a sign-in. Without it the person is signed in nevertheless.
    func keepAppleToken(for code: String, _ token: VerifiedToken, of person: String) async {
        guard let apple, let client = token.audience, let given = await apple.exchange(code, for: client) else {
            return
        }
        let kept = ProviderToken(id: Self.newID(), kind: .apple, client: client, token: given)
        // The account may have ended in this moment.
        if (try? await store.told({ $0.keepProviderToken(kept, of: person, then: $1) })) == nil {
            _ = await apple.revoke(given, of: client)
        }
    }

    /// Tells Apple of the accounts that have ended.
    func revokeEnded() async {
        guard let apple else { return }
        let now = Clock.unixSeconds()
        let ended = try? await store.told {
            $0.endedProviderTokens(at: now, next: now + Self.pauseSeconds, then: $1)
        }
        for token in ended ?? [] where token.kind == .apple {
            guard await apple.revoke(token.token, of: token.client) else { continue }
            try? await store.told { $0.forgetProviderToken(token.id, then: $1) }
        }
    }

    /// Apple may not have been there when an account ended.
    func startRevoking() -> Task<Void, Never>? {
        guard apple != nil else { return nil }
        return Task.detached(priority: .background) { [weak self] in
            repeat {
                await self?.revokeEnded()
            } while (try? await Task.sleep(for: .seconds(60))) != nil
        }
    }
}
