import Store

/// Asks the store what is left of allowances, which it counts for all nodes.
extension Accounts {
    /// Whether something that is good once was not used before, on any node.
    func isFirstUse(_ once: Allowance, now: Int64) async throws(AccountFault) -> Bool {
        try await isLeft { $0.spend([once], at: now, then: $1) }
    }

    /// Whether nothing of an allowance is left.
    func isUsedUp(_ allowance: Allowance, now: Int64) async throws(AccountFault) -> Bool {
        try await !isLeft { $0.check([allowance], at: now, then: $1) }
    }

    /// Whether all is left of what a call asks for. The store refuses the call otherwise.
    func isLeft(
        _ ask: (any ServerStore, @escaping Answer<Void>) -> Void
    ) async throws(AccountFault) -> Bool {
        do throws(AccountFault) {
            try await store.told(ask)
            return true
        } catch {
            if case .tooManyAttempts = error { return false }
            throw error
        }
    }
}

extension Allowance {
    /// - Parameter seconds: longer than it lasts: the clocks of two nodes may differ.
    static func once(_ name: String, seconds: Int64 = 3_600) -> Allowance { Allowance(name, most: 1, seconds: seconds) }
}
