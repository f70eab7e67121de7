import Rooms
import Transport
import Wire

/// What a request's client is, in groups whose clients say so.
enum ClientKind: String, CaseIterable, Sendable {
    case web
    case iOS = "mobile-ios"
    case android = "mobile-android"

    var isPhone: Bool { self != .web }
}

/// The limits of one kind of client, in a group that tells kinds apart. They hold for loopback, too.
final class ClientTier: Sendable {
    private let ofStrangers: RequestRate
    private let ofSenders: RequestRate
    private let strangers = RequestMeters<IPAddress>()
    private let senders = RequestMeters<ExactText>()

    /// - Parameters:
    ///   - perMinute: requests without a token of one network address; 0 means no limit.
    ///   - sendersPerMinute: requests of one sender.
    init(perMinute: Int, sendersPerMinute: Int) {
        ofStrangers = RequestRate(perMinute: perMinute)
        ofSenders = RequestRate(perMinute: sendersPerMinute)
    }

    /// Counts a request without a sender. Nil without a limit.
    func count(_ peer: PeerAddress, on shard: Shard) -> RateReading? {
        let address = shard.server.countedAddress(of: peer) ?? peer.address ?? .loopback
        return strangers.count(address, nowMilliseconds: shard.now) { paces in
            paces.take(ofStrangers, nowMilliseconds: shard.now)
        }
    }

    /// Counts a request of a sender. Nil without a limit.
    func count(sender id: String, nowMilliseconds now: Int64) -> RateReading? {
        senders.count(ExactText(id), nowMilliseconds: now) { paces in
            paces.take(ofSenders, nowMilliseconds: now)
        }
    }
}
