import Store
import Threads

/// The balances of wallets: read on request, and watched for the clients that subscribe to changes.
extension Accounts {
    /// The known balances of wallets by their ids, as JSON objects.
    package func balances(of wallets: [Wallet]) async -> [String: [UInt8]] {
        guard balances != nil else { return [:] }
        return await withTaskGroup(of: (String, [UInt8])?.self) { group in
            for wallet in wallets { group.addTask { await self.balance(of: wallet) } }
            var found: [String: [UInt8]] = [:]
            for await case let (id, json)? in group { found[id] = json }
            return found
        }
    }

    /// The node that first stores a changed balance sends the event. So clients get it once, whichever nodes ask.
    private func balance(of wallet: Wallet) async -> (String, [UInt8])? {
        guard let fresh = await balances?.of(wallet.address) else { return nil }
        if fresh.isNew {
            let isChanged = try? await store.told { $0.keepBalances(fresh.json, of: wallet.id, then: $1) }
            if isChanged == true { tell(.balances(wallet, fresh.json)) }
        }
        return (wallet.id, fresh.json)
    }

    // MARK: Watching

    /// A client of a person wants to hear of balances. Its wallets are asked about from time to time, until as many clients
    /// do not want that any more.
    package func watchWallets(of person: String) {
        guard balances != nil else { return }
        let isFirst = watched.withLock { watched in
            watched[person, default: 0] += 1
            return watched[person] == 1
        }
        if isFirst { Task.detached { await self.lookAtWallets(of: person) } }
    }

    package func unwatchWallets(of person: String) {
        guard balances != nil else { return }
        watched.withLock { watched in
            guard let count = watched[person] else { return }
            watched[person] = count > 1 ? count - 1 : nil
        }
    }

    private func lookAtWallets(of person: String) async {
        guard let wallets = try? await store.told({ $0.wallets(of: person, then: $1) }) else { return }
        _ = await balances(of: wallets)
    }

    /// Looks at the wallets of all whose clients want to hear of them, again and again.
    func startWatching() -> Task<Void, Never>? {
        guard let pause = balances?.keptMilliseconds else { return nil }
        return Task.detached(priority: .background) { [weak self] in
            while (try? await Task.sleep(for: .milliseconds(pause))) != nil {
                guard let self else { return }
                for person in self.watched.withLock({ Array($0.keys) }) {
                    guard !Task.isCancelled else { return }
                    await self.lookAtWallets(of: person)
                }
                await self.lookForPhones(pause)
            }
        }
    }

    /// Looks at some wallets of people with phones, which get notifications of changes: at each of them much more seldom than
    /// at those of clients that are connected, because there may be many.
    private func lookForPhones(_ pauseMilliseconds: Int64) async {
        let now = Clock.unixSeconds()
        let lastBefore = now - 10 * pauseMilliseconds / 1_000
        let wallets = try? await store.told {
            $0.claimWallets(limit: Self.walletsOfPhonesMax, lastBefore: lastBefore, at: now, then: $1)
        }
        if let wallets { _ = await balances(of: wallets) }
    }

    /// For how many wallets the node is asked in one turn for the sake of phones. Past it: the others wait for the next turn.
    private static let walletsOfPhonesMax = 64
}
