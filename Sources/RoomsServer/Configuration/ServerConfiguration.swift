import Board
import FoundationEssentials
import Push
import Relay
import Sessions
import Transport

/// Everything that can be set, in the types in which the server uses it. The values here are the defaults.
///
/// The table in `Settings.swift` says for each field how it is called, what it may be and why.
public struct ServerConfiguration: Sendable {
    // Listening
    public var listen: [ListenAddress] = [.tcp(.loopback, port: 8080)]
    /// The cores that this process may use, not those that the machine has.
    public var threads = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 256)

    // Who may come in
    public var auth = AuthMode.open
    public var allowOpenToWorld = false
    /// From `auth-secret`, or read from the file that `auth-secret-file` names.
    public var authSecret: Secret?
    public var authSecretFile: String?
    public var authIssuer: String?
    public var authAudience: String?
    public var authJWKSURL: String?
    public var authCAFile: String?
    public var authClockSkew = Duration.seconds(60)

    // What outlives a restart
    public var data: String?
    /// In bytes; 0: no limit.
    public var dataSizeMax = 0
    public var journalEntriesMax = 1_024
    /// In bytes.
    public var journalSizeMax = 1 << 20
    public var journalAgeMax = Duration.seconds(3_600)
    public var deletionsAgeMax = Duration.seconds(30 * 86_400)
    public var groupInterval = Duration.milliseconds(1)

    // Notifications
    public var push = PushSetting.off
    public var pushAppID: String?
    /// From `push-key`, or read from the file that `push-key-file` names.
    public var pushKey: Secret?
    public var pushKeyFile: String?
    public var pushURL = OneSignal.standardURL
    public var pushWaitingMax = 100_000

    // TLS
    public var tlsCert: String?
    public var tlsKey: String?
    public var tlsMinVersion = TLSVersion.v1_2

    // Browsers and proxies
    /// As written; `originPolicy` is what it means.
    public var origins: [String] = []
    public var trustedProxies: [AddressBlock] = []
    public var proxyProtocol = false
    public var forwardedFor = false
    /// As set; `boardFacts` is what it means.
    public var board = BoardSetting.auto
    /// As set; `offersBots` is what it means.
    public var demo = false

    // Engine.IO and Socket.IO
    public var path = "/socket.io/"
    public var pingInterval = Duration.seconds(25)
    public var pingTimeout = Duration.seconds(20)
    /// In bytes.
    public var maxPayload = 1_000_000
    public var connectTimeout = Duration.seconds(20)
    public var upgradeTimeout = Duration.seconds(10)
    public var eio3 = true

    // Rooms
    public var tick = TickSetting.auto
    public var tickMin = Duration.milliseconds(4)
    public var tickMax = Duration.milliseconds(50)
    public var grace = Duration.seconds(5)
    /// 0: connections do not come back.
    public var recoveryWindow = Duration.seconds(120)
    public var recoveryOffsets = RecoveryOffsets.pages
    public var participantsMax = 1_000
    public var elementsMax = 10_000
    public var roomsPerConnectionMax = 32
    /// In bytes.
    public var memoryRoomsSizeMax = 256_000_000

    // Rates; 0: no limit
    public var rateLimits = true
    public var touchesPerSecondMax = 1_000
    public var eventsPerSecondMax = 100
    public var accountTouchesPerSecondMax = 4_000
    public var accountEventsPerSecondMax = 400
    public var addressTouchesPerSecondMax = 50_000
    public var addressEventsPerSecondMax = 5_000
    /// These and the next in bytes.
    public var accountJoinBytesPerSecondMax = 5_000_000
    public var addressJoinBytesPerSecondMax = 100_000_000
    public var addressConnectsPerSecondMax = 200
    public var refusalsPerSecondMax = 100
    public var packetsPerSecondMax = 5_000
    public var accountRequestsPerSecondMax = 20
    public var addressRequestsPerSecondMax = 200
    public var addressHTTPRequestsPerSecondMax = 1_000

    // Uploaded files
    /// As set; `mediaDirectory` is what it means.
    public var media: String?
    public var publicURL: String?
    /// These and the next in bytes.
    public var avatarBytesMax = 5_000_000
    public var photoBytesMax = 15_000_000
    public var audioBytesMax = 25_000_000
    public var imagePixelsMax = 64_000_000
    public var mediaTimeMax = Duration.seconds(20)
    /// In bytes.
    public var mediaMemoryMax = 1_500_000_000
    /// In bytes.
    public var mediaFreeMin = 500_000_000
    public var mediaUnsealed = false
    public var mediaGrace = Duration.seconds(86_400)
    public var downloadsMax = 1_000

    // Limits
    public var connectionsMax = 10_000
    /// 0: no limit.
    public var connectionsPerAddressMax = 0
    /// As set; `sessionBounds` is what these three mean.
    public var sessionsMax: Int?
    public var sessionsPendingMax: Int?
    public var sessionsPerAddressMax: Int?
    /// In bytes.
    public var unreadSizeMax = 128 << 20
    /// 0: no limit.
    public var tlsHandshakesPerSecondMax = 1_000
    public var handshakeTimeout = Duration.seconds(10)
    public var headBytesMax = 16 * 1024
    public var bodyTimeout = Duration.seconds(30)
    public var keepAliveTimeout = Duration.seconds(75)
    public var idleTimeout = Duration.seconds(90)

    // Compression
    public var compression = false
    /// In bytes.
    public var compressionThreshold = 1024

    // Operation
    public var drainTimeout = Duration.seconds(30)
    public var drainWindow = Duration.seconds(10)
    public var logLevel = LogLevel.info
    public var logFormat = LogFormat.auto
    public var pidFile: String?
    public var metricsListen: [ListenAddress] = []
    /// From `operator-token`, or read from the file that `operator-token-file` names.
    public var operatorToken: Secret?
    public var operatorTokenFile: String?

    public init() {}

    public var originPolicy: OriginPolicy {
        if origins.contains("*") { return .any }
        return origins.isEmpty ? .sameOrigin : .listed(Set(origins.compactMap(WebOrigin.init)))
    }

    /// Under which names the server answers. Where a token is needed, a page of another name has none.
    public var hostPolicy: HostPolicy {
        guard auth == .open else { return .any }
        var hosts: Set<HostPort.Host> = []
        if let host = publicURL.flatMap(PlainURL.init)?.place?.host { hosts.insert(host) }
        for case .tcp(let address, _) in listen { hosts.insert(.address(address)) }
        return .known(hosts, anyAddress: listen.contains { !$0.isLocal })
    }

    /// Who is sent away last still has time for a good-bye.
    public var drainWindowInUse: Duration { min(drainWindow, drainTimeout * 4 / 5) }

    /// What the board is told of this server; nil where it is not shown.
    func boardFacts(takesUploads: Bool) -> Board.Facts? {
        guard board == .on || (board == .auto && auth == .open) else { return nil }
        let uploads = Board.Facts.Uploads(photoBytesMax: photoBytesMax, audioBytesMax: audioBytesMax)
        return Board.Facts(
            auth: auth.rawValue, path: path, uploads: takesUploads ? uploads : nil, bots: offersBots)
    }

    /// Whether bots may be invited from the board.
    public var offersBots: Bool { demo && whyNoBots == nil }

    /// What bots cannot come for, if there is something.
    var whyNoBots: String? {
        if auth != .open { return "bots have no token for auth \(auth.rawValue)" }
        if board == .off { return "the board, from which bots are invited, is off" }
        if usesTLS { return "bots cannot check the certificate of this server's own address" }
        if proxyProtocol { return "bots send no PROXY protocol header" }
        if listen.allSatisfy(\.isUnix) { return "bots do not come through Unix sockets" }
        return nil
    }

    /// Sessions of all clients, of those that have not come into a namespace, and of one address.
    var sessionBounds: (all: Int, pending: Int, perAddress: Int) {
        // A client that has lost its connection comes back before the server has noticed the loss.
        let all = sessionsMax ?? 2 * connectionsMax
        return (all, sessionsPendingMax ?? max(all / 4, 1), sessionsPerAddressMax ?? max(all / 2, 1))
    }

    public var usesTLS: Bool { tlsCert != nil && tlsKey != nil }
}
