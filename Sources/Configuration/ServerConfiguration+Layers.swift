import API
import Identity
import Logging
import Relay
import Rooms
import Sessions
import Transport
import Wire

extension ServerConfiguration {
    /// What the transport is made from.
    package func transport(_ logger: Logger) -> TransportConfiguration {
        var transport = TransportConfiguration()
        transport.addresses = addresses
        transport.shardCount = threads
        if let tlsCert, let tlsKey {
            transport.tls = TLSFiles(certificate: tlsCert, key: tlsKey, requireTLS13: tlsMinVersion == .v1_3)
        }
        transport.trustedProxies = trustedProxies
        transport.proxyProtocol = proxyProtocol
        transport.forwardedFor = forwardedFor
        transport.limits = limits
        transport.report = { notice in
            logger.warning("transport", ["event": notice.kind.rawValue, "detail": notice.detail])
        }
        return transport
    }

    private var limits: TransportLimits {
        var limits = TransportLimits()
        limits.connectionsMax = connectionsMax
        limits.connectionsPerAddressMax = connectionsPerAddressMax
        limits.tlsHandshakesPerSecondMax = tlsHandshakesPerSecondMax
        limits.handshakeMilliseconds = handshakeTimeout.wholeMilliseconds
        limits.headMilliseconds = handshakeTimeout.wholeMilliseconds
        limits.bodyMilliseconds = bodyTimeout.wholeMilliseconds
        limits.keepAliveMilliseconds = keepAliveTimeout.wholeMilliseconds
        limits.idleMilliseconds = idleTimeout.wholeMilliseconds
        limits.http.headBytesMax = headBytesMax
        limits.http.bodyBytesMax = maxPayload
        limits.webSocket.frameBytesMax = maxPayload
        limits.webSocket.messageBytesMax = maxPayload
        limits.tailBytesMax = max(limits.tailBytesMax, 2 * maxPayload)
        limits.unreadBytesMax = unreadSizeMax
        return limits
    }

    /// How sessions behave.
    package var sessions: SessionConfiguration {
        var sessions = SessionConfiguration()
        sessions.path = path
        sessions.node = clusterNode ?? 0
        sessions.pingIntervalMilliseconds = pingInterval.wholeMilliseconds
        sessions.pingTimeoutMilliseconds = pingTimeout.wholeMilliseconds
        sessions.maxPayloadBytes = maxPayload
        sessions.upgradeMilliseconds = upgradeTimeout.wholeMilliseconds
        sessions.connectMilliseconds = connectTimeout.wholeMilliseconds
        sessions.allowsVersion3 = eio3
        sessions.compresses = compression
        sessions.compressionBytesMin = compressionThreshold
        sessions.origins = originPolicy
        // The relay reads the token, knows pages by User-Agent, and reads the wishes of clients without a payload. A longer
        // token is refused for its length. Of a header and a query with a token each, the header counts.
        let token = IdentityLimits().tokenBytesMax + 16
        sessions.keptRequest = KeptRequest(
            headers: [.init("User-Agent", bytesMax: 64), .init("Authorization", bytesMax: token)],
            queryItems: [
                .init("touch", bytesMax: 16), .init("decimals", bytesMax: 16), .init("token", bytesMax: token),
            ], bytesMax: token + 1_024)
        (sessions.sessionsMax, sessions.sessionsPendingMax, sessions.sessionsPerAddressMax) = sessionBounds
        sessions.packetsPerSecondMax = rateLimits ? packetsPerSecondMax : 0
        return sessions
    }

    /// What rooms allow.
    package var relay: RelayConfiguration {
        var relay = RelayConfiguration()
        relay.tickMilliseconds =
            switch tick {
            case .auto: tickMin.wholeMilliseconds...tickMax.wholeMilliseconds
            case .fixed(let interval): interval.wholeMilliseconds...interval.wholeMilliseconds
            }
        relay.room.graceMilliseconds = Int64(grace.wholeMilliseconds)
        relay.recoveryMilliseconds = recoveryWindow.wholeMilliseconds
        relay.recoveryOffsets = recoveryOffsets
        relay.room.participantsMax = participantsMax
        relay.room.elementsMax = elementsMax
        relay.roomsPerConnectionMax = roomsPerConnectionMax
        relay.tellsPersonalEvents = auth == .accounts
        return relay
    }

    /// What the REST interface allows.
    package var api: APILimits {
        guard rateLimits else { return .unlimitedRates }
        var api = APILimits()
        api.accountRequestsPerSecondMax = accountRequestsPerSecondMax
        api.addressRequestsPerSecondMax = addressRequestsPerSecondMax
        api.phonePercent = phoneRequestsPercent
        return api
    }

    /// How many HTTP requests of any kind may come in.
    package var requestGate: RequestGate { RequestGate(perSecond: rateLimits ? addressHTTPRequestsPerSecondMax : 0) }

    /// How much may come in over sessions.
    package var flow: FlowLimits { rateLimits ? flowLimits : .off }
}
