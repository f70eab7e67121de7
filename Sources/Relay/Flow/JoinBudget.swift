import Transport

/// How many bytes of states of rooms the joins of an account and of an address may cause. It travels with a join to the
/// room's home, which knows the length of the answer.
package struct JoinBudget: Sendable {
    let rates: FlowRates
    let account: SenderPaces?
    let address: SenderPaces?

    /// Takes the bytes of an answer, or returns how long to wait and the limit. An answer longer than the rate allows
    /// at once counts as that much.
    func take(_ byteCount: Int, now: Int64) -> (wait: Int, scope: ClientFlow.Scope)? {
        let units = byteCount / FlowRates.joinUnitBytes + 1
        let own = account?.joins.take(rates.accountJoins, units, nowMilliseconds: now) ?? 0
        if own > 0 { return (own, .account) }
        let shared = address?.joins.take(rates.addressJoins, units, nowMilliseconds: now) ?? 0
        guard shared > 0 else { return nil }
        account?.joins.giveBack(rates.accountJoins, units)
        return (shared, .address)
    }

    /// Gives back the bytes of an answer that is not sent.
    func giveBack(_ byteCount: Int) {
        let units = byteCount / FlowRates.joinUnitBytes + 1
        account?.joins.giveBack(rates.accountJoins, units)
        address?.joins.giveBack(rates.addressJoins, units)
    }
}
