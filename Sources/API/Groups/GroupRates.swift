import Rooms
import Transport
import Wire

/// The limits of one kind of client.
struct ClientTier: Sendable {
    /// Of one address, for requests without a sender. It holds for loopback, too.
    let strangers: RequestRate
    /// Of one sender.
    let senders: RequestRate

    /// - Parameters: requests a minute; 0 means no limit.
    init(strangersPerMinute: Int, sendersPerMinute: Int) {
        strangers = RequestRate(perMinute: strangersPerMinute)
        senders = RequestRate(perMinute: sendersPerMinute)
    }
}

/// The limits of a group over all shards. A minute's worth may come at once. Each kind of client is counted apart.
final class GroupRates: Sendable {
    /// The limit of one address. The server's `RequestGate` counts it together with its own limit.
    let address: RequestRate
    let senders: RequestMeters<ExactText>
    private let strangers: RequestMeters<IPAddress>
    private let tiers: [ClientKind: ClientTier]

    /// - Parameters:
    ///   - addressPerSecond: 0 means no limit. Past it: 429.
    ///   - strangersPerMinute: requests without a sender, from one address; 0 means no limit.
    ///   - sendersPerMinute: requests of one sender; 0 means no limit.
    ///   - phonePercent: what phones may send, in percent of the two before.
    init(
        addressPerSecond: Int, strangersPerMinute: Int = 0, sendersPerMinute: Int, phonePercent: Int,
        countedMax: Int = APILimits().countedMax
    ) {
        address = APILimits.rate(perSecond: addressPerSecond)
        senders = RequestMeters(countedMax: countedMax)
        strangers = RequestMeters(countedMax: countedMax)
        var tiers: [ClientKind: ClientTier] = [:]
        for kind in ClientKind.allCases {
            let percent = kind.isPhone ? phonePercent : 100
            tiers[kind] = ClientTier(
                strangersPerMinute: strangersPerMinute * percent / 100,
                sendersPerMinute: sendersPerMinute * percent / 100)
        }
        self.tiers = tiers
    }

    var meters: [any Meters] { [senders, strangers] }

    /// Counts a request without a sender. Nil without a limit.
    func count(stranger peer: PeerAddress, of client: ClientKind, on shard: Shard) -> RateReading? {
        guard let limit = tiers[client]?.strangers, !limit.isOff else { return nil }
        let address = shard.server.countedAddress(of: peer) ?? peer.address ?? .loopback
        return strangers.count(address, nowMilliseconds: shard.now) { $0.take(limit, nowMilliseconds: shard.now) }
    }

    /// Counts a request of a sender.
    ///
    /// - Parameter own: the limit of the route.
    func count(
        sender id: String, of client: ClientKind, _ own: RequestRate?, nowMilliseconds now: Int64
    ) -> [RateReading] {
        let limits = [tiers[client]?.senders, own].compactMap(\.self).filter { !$0.isOff }
        guard !limits.isEmpty else { return [] }
        return senders.count(ExactText(id), nowMilliseconds: now) { paces in
            limits.compactMap { paces.take($0, nowMilliseconds: now) }
        }
    }
}
