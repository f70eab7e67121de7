/// The result of counting a request for its address.
public enum RequestAdmission: Sendable {
    /// Admitted, with readings for the headers of the limits besides the server's own, in their order.
    case admitted([RateReading])
    /// Refused by the server's own limit.
    case refused(waitMilliseconds: Int)
}

/// Counts the requests of each address over all shards. Each request is counted once: against the server's limit and
/// those of its group.
public final class RequestGate: Sendable {
    private let own: RequestRate
    private let addresses: RequestMeters<IPAddress>

    /// - Parameters:
    ///   - perSecond: requests of any kind from one address, as `ServerState.countedAddress` gives it; a second's worth
    ///     at once. 0 means no limit. Past it: 429, and the connection ends.
    ///   - countedMax: addresses that are counted at a time.
    public init(perSecond: Int, countedMax: Int = 100_000) {
        own = RequestRate(perSecond: perSecond)
        addresses = RequestMeters(countedMax: countedMax)
    }

    public var meters: [any Meters] { [addresses] }

    /// A request that the server's limit refuses is not counted against the others.
    public func count(_ peer: PeerAddress, _ limits: [RequestRate], on shard: Shard) -> RequestAdmission {
        let now = shard.now
        guard let address = shard.server.countedAddress(of: peer) else {
            return .admitted(countExempt(peer, limits.filter(\.exemptsNobody), now))
        }
        guard !own.isOff || limits.contains(where: { !$0.isOff }) else { return .admitted([]) }
        return addresses.count(address, nowMilliseconds: now) { paces in
            if let reading = paces.take(own, nowMilliseconds: now), reading.waitMilliseconds > 0 {
                return .refused(waitMilliseconds: reading.waitMilliseconds)
            }
            return .admitted(limits.compactMap { paces.take($0, nowMilliseconds: now) })
        }
    }

    /// Counts a request of an address that is exempt from all limits but these. Unix sockets count as loopback.
    private func countExempt(_ peer: PeerAddress, _ limits: [RequestRate], _ now: Int64) -> [RateReading] {
        guard !limits.isEmpty else { return [] }
        return addresses.count(peer.address ?? .loopback, nowMilliseconds: now) { paces in
            limits.compactMap { paces.take($0, nowMilliseconds: now) }
        }
    }
}

extension HTTPExchange {
    /// Counts the request for its address, against the server's limit and these. Past the server's limit the client
    /// gets 429 and has to connect anew. Call it once for each request.
    public func admit(_ limits: [RequestRate]) -> RequestAdmission {
        guard let shard else { return .admitted([]) }
        let admission = shard.requestAdmission(peer, limits)
        if case .refused(let wait) = admission {
            endsConnection = true
            respond(
                429, [("Content-Type", "application/json"), ("Retry-After", String((wait + 999) / 1_000))],
                body: Self.tooManyRequests)
        }
        return admission
    }

    /// The same without other limits. When it returns false, the request is answered.
    public func admit() -> Bool {
        if case .admitted = admit([]) { true } else { false }
    }

    private static let tooManyRequests = Array(
        #"{"error":"Too many requests from this address; wait before the next.","code":"RATE_LIMITED"}"#.utf8)
}
