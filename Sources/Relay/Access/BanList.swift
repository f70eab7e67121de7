import Glibc
import Store
import Synchronization
import Threads
import Transport
import Wire

/// The users and addresses that may not use this server until a time. It may be called from any thread.
///
/// With a store it is a copy of what the store has, so that all nodes of a cluster know the same. Until it has been read
/// once, it holds off everybody: whoever the store has banned is still unknown. It is bounded by `StoreLimits.bansMax`.
package final class BanList: Sendable {
    private let bans = Locked<[BanSubject: Ban]>([:])
    private let changes = Counter()
    /// Nearly always 0: then nobody waits for the lock.
    private let count = Counter()
    private let read: Atomic<Bool>
    private let most: Int

    /// - Parameter isRead: false for the copy of a store, until `replace` has taken what the store has.
    package init(most: Int = StoreLimits().bansMax, isRead: Bool = true) {
        self.most = most
        read = Atomic(isRead)
    }

    package var isRead: Bool { read.load(ordering: .acquiring) }

    /// The end of a user's ban, in seconds since 1970; nil for a user who is not banned. Nobody asks before the list has been
    /// read: until then the barrier of addresses lets no request in.
    package func end(ofPerson id: String, at now: Int64) -> Int64? { end(of: BanSubject(.person, id), at: now) }

    /// The reason why a peer's address may not come in; nil for one that may.
    package func barrier(for peer: PeerAddress, at now: Int64) -> Barrier? {
        guard isRead else { return .bansUnread }
        guard count.value > 0, let address = peer.address else { return nil }
        return end(of: .address(address), at: now).map { .banned(until: $0) }
    }

    private func end(of subject: BanSubject, at now: Int64) -> Int64? {
        guard count.value > 0, let ban = bans.withLock({ $0[subject] }), ban.endsAt > now else { return nil }
        return ban.endsAt
    }

    /// Those that have not ended, the one that ends first before the others.
    package func all(at now: Int64) -> [Ban] {
        bans.withLock { Array($0.values) }.filter { $0.endsAt > now }
            .sorted { ($0.endsAt, $0.subject.id) < ($1.endsAt, $1.subject.id) }
    }

    /// Answers whether there was room for it.
    @discardableResult
    package func put(_ ban: Ban) -> Bool {
        change { bans in
            changes.add()
            guard bans[ban.subject] != nil || bans.count < most else { return false }
            bans[ban.subject] = ban
            return true
        }
    }

    /// Answers whether there was one.
    @discardableResult
    package func lift(_ subject: BanSubject) -> Bool {
        change { bans in
            changes.add()
            return bans.removeValue(forKey: subject) != nil
        }
    }

    /// How often a ban was made or lifted here. It is read before the store is asked.
    package var changeCount: Int { changes.value }

    /// Takes what the store has. Answers the bans that this list did not have; none for the first time, before which nobody
    /// could come in.
    ///
    /// - Parameter changeCount: what it was before the store was asked. What the store tells is old if a ban was made or lifted
    ///   meanwhile, and nothing of it is taken.
    package func replace(by stored: [Ban], changeCount: Int) -> [Ban] {
        let new: [Ban]? = change { bans in
            guard changeCount == self.changeCount else { return nil }
            let new = isRead ? stored.filter { bans[$0.subject] == nil } : []
            bans = Dictionary(stored.map { ($0.subject, $0) }) { _, last in last }
            return new
        }
        guard let new else { return [] }
        // A thread that sees that the list has been read also sees its bans, and their number.
        read.store(true, ordering: .releasing)
        return new
    }

    private func change<Value>(_ body: (inout [BanSubject: Ban]) -> Value) -> Value {
        bans.withLock { bans in
            let now = Clock.unixSeconds()
            bans = bans.filter { $0.value.endsAt > now }
            let value = body(&bans)
            count.add(bans.count - count.value)
            return value
        }
    }
}

extension BanList {
    /// The sentence for a banned user. An application may show it.
    package static func sentence(until end: Int64) -> String { "An operator has banned you until \(time(end))." }

    private static func time(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }
}

extension BanSubject {
    /// An IPv6 client has a whole network of addresses, which is banned as one.
    package static func address(_ address: IPAddress) -> BanSubject {
        if case .v6(let high, _) = address { return BanSubject(.address, IPAddress.v6(high, 0).description) }
        return BanSubject(.address, address.description)
    }

    /// Whether a peer is the one that the ban is about.
    func isAbout(_ peer: PeerAddress) -> Bool { peer.address.map { BanSubject.address($0) == self } ?? false }
}
