import Accounts
import Board
import Carriers
import Chains
import FoundationEssentials
import Logging
import Media
import Push
import Relay
import Sessions
import Transport

/// All settings, in the types of the server. The values here are the defaults.
///
/// The table in `Settings.swift` has the name, the bounds and the reason of each.
package struct ServerConfiguration: Sendable {
    // Listening
    package var listen: [ListenAddress] = [.tcp(.loopback, port: 8080)]
    /// The cores that this process may use, not those that the machine has.
    package var threads = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 256)

    // Tokens
    package var auth = AuthMode.open
    package var allowOpenToWorld = false
    /// From `auth-secret`, or read from the file that `auth-secret-file` names.
    package var authSecret: Secret?
    package var authSecretFile: String?
    package var authIssuer: String?
    package var authAudience: String?
    package var authJWKSURL: String?
    package var authCAFile: String?
    package var authClockSkew = Duration.seconds(60)
    package var apps: [AppMount] = []
    package var passwordMemory = 48 << 20
    package var passwordPasses = 1
    package var sms = SMSSetting.off
    package var smsAccount: String?
    /// From `sms-key`, or read from the file that `sms-key-file` names.
    package var smsKey: Secret?
    package var smsKeyFile: String?
    package var smsFrom: String?
    package var smsURL = Twilio.standardURL
    package var smsPerHourMax = 500
    /// Countries by two letters; empty for all.
    package var smsRegions: [String] = []
    package var developerCodes = false
    package var mail = MailSetting.off
    package var mailFrom: String?
    package var mailUser: String?
    /// From `mail-key`, or read from the file that `mail-key-file` names.
    package var mailKey: Secret?
    package var mailKeyFile: String?
    package var mailCAFile: String?
    package var mailPerHourMax = 500
    package var passkeyDomain: String?
    package var passkeyOrigins: [String] = []
    package var walletChain = "ethereum"
    package var walletChainID = 1
    /// The address of a node, in whose path there may be a key; nil to ask none.
    package var walletNodeURL: String?
    package var walletCoin = "ETH"
    package var walletTokens: [ChainToken] = []
    package var walletBalanceAge = Duration.seconds(60)
    package var googleClients: [String] = []
    package var googleKeysURL = "https://www.googleapis.com/oauth2/v3/certs"
    package var appleClients: [String] = []
    package var appleTeam: String?
    package var appleKeyID: String?
    /// Read from the file that `apple-key-file` names.
    package var appleKey: Secret?
    package var appleKeyFile: String?
    package var appleURL = AppleTokens.standardURL
    package var appleKeysURL = "https://appleid.apple.com/auth/keys"
    package var muejamWebURL: String?
    /// `TEAM.bundle`, each.
    package var muejamIOSApps: [String] = []
    /// `package=AA:BB:…`, each.
    package var muejamAndroidApps: [String] = []
    package var muejamConfig: String?

    // Storage
    package var data: String?
    /// The URL of a database, which may hold a password; from `store`, or read from the file that `store-file` names.
    package var store: Secret?
    package var storeFile: String?
    /// In bytes; 0: no limit.
    package var dataSizeMax = 0
    package var journalEntriesMax = 1_024
    /// In bytes.
    package var journalSizeMax = 1 << 20
    package var journalAgeMax = Duration.seconds(3_600)
    package var deletionsAgeMax = Duration.seconds(30 * 86_400)
    package var groupInterval = Duration.milliseconds(1)

    // Cluster
    package var clusterNode: Int?
    package var clusterName = "rooms"
    /// URLs with blanks between them, which may hold passwords; from `cluster-redis`, or read from the file that
    /// `cluster-redis-file` names.
    package var clusterRedis: Secret?
    package var clusterRedisFile: String?
    package var clusterCAFile: String?
    /// From `cluster-secret`, or read from the file that `cluster-secret-file` names.
    package var clusterSecret: Secret?
    package var clusterSecretFile: String?

    // Notifications
    package var push = PushSetting.off
    package var pushAppID: String?
    /// From `push-key`, or read from the file that `push-key-file` names.
    package var pushKey: Secret?
    package var pushKeyFile: String?
    package var pushURL = OneSignal.standardURL
    /// What the file of a service account holds, which `fcm-key-file` names.
    package var fcmKey: Secret?
    package var fcmKeyFile: String?
    package var fcmURL = FCM.standardURL
    /// The private key from the file that `apns-key-file` names.
    package var apnsKey: Secret?
    package var apnsKeyFile: String?
    package var apnsKeyID: String?
    package var apnsTeamID: String?
    package var apnsTopic: String?
    package var subspaceAPNsTopic: String?
    package var interspaceAPNsTopic: String?
    package var soulAPNsTopic: String?
    package var muejamAPNsTopic: String?
    /// By the names of the applications that have one.
    package var appTopics: [String: String] {
        [
            "subspace": subspaceAPNsTopic, "interspace": interspaceAPNsTopic, "soul": soulAPNsTopic,
            "muejam": muejamAPNsTopic,
        ]
        .compactMapValues(\.self)
    }
    package var apnsURL = APNs.standardURL
    package var pushCAFile: String?
    package var pushWaitingMax = 100_000

    // TLS
    package var tlsCert: String?
    package var tlsKey: String?
    package var tlsMinVersion = TLSVersion.v1_2

    // Browsers and proxies
    /// As written; `originPolicy` is what it means.
    package var origins: [String] = []
    package var trustedProxies: [AddressBlock] = []
    package var proxyProtocol = false
    package var forwardedFor = false
    /// As set; `boardFacts` is what it means.
    package var board = BoardSetting.auto
    /// As set; `offersBots` is what it means.
    package var demo = false

    // Engine.IO and Socket.IO
    package var path = "/socket.io/"
    package var pingInterval = Duration.seconds(25)
    package var pingTimeout = Duration.seconds(20)
    /// In bytes.
    package var maxPayload = 1_000_000
    package var connectTimeout = Duration.seconds(20)
    package var upgradeTimeout = Duration.seconds(10)
    package var eio3 = true

    // Rooms
    package var tick = TickSetting.auto
    package var tickMin = Duration.milliseconds(4)
    package var tickMax = Duration.milliseconds(50)
    package var grace = Duration.seconds(5)
    /// 0: connections do not come back.
    package var recoveryWindow = Duration.seconds(120)
    package var recoveryOffsets = RecoveryOffsets.pages
    package var participantsMax = 1_000
    package var elementsMax = 10_000
    package var roomsPerConnectionMax = 32
    /// In bytes.
    package var memoryRoomsSizeMax = 256_000_000

    // Rates; 0: no limit
    package var rateLimits = true
    package var flowLimits = FlowLimits()
    package var packetsPerSecondMax = 5_000
    package var accountRequestsPerSecondMax = 20
    package var addressRequestsPerSecondMax = 200
    package var phoneRequestsPercent = 150
    package var addressHTTPRequestsPerSecondMax = 1_000

    // Uploaded files
    /// As set; `mediaDirectory` is what it means.
    package var media: String?
    package var mediaBucket: String?
    package var mediaBucketRegion = "us-east-1"
    package var mediaBucketKeyID: String?
    /// From `media-bucket-key`, or read from the file that `media-bucket-key-file` names.
    package var mediaBucketKey: Secret?
    package var mediaBucketKeyFile: String?
    package var mediaBucketCAFile: String?
    /// In bytes.
    package var mediaCacheMax = 1_000_000_000
    package var publicURL: String?
    /// These and the next in bytes.
    package var avatarBytesMax = 5_000_000
    package var photoBytesMax = 15_000_000
    package var audioBytesMax = 25_000_000
    package var uploadBytesMax = MediaLimits().uploadBytesMax
    package var chunkedBytesMax = MediaLimits().chunkedBytesMax
    package var chunkedTimeMax = Duration.seconds(MediaLimits().chunkedSecondsMax)
    package var imagePixelsMax = 64_000_000
    package var mediaTimeMax = Duration.seconds(20)
    /// In bytes.
    package var mediaMemoryMax = 1_500_000_000
    /// In bytes.
    package var mediaFreeMin = 500_000_000
    package var mediaUnsealed = false
    package var mediaGrace = Duration.seconds(86_400)
    package var recordings = true
    /// As set; `recordingDirectory` is what it means.
    package var recordingsDir: String?
    package var recordRooms: [String] = []
    package var recordingSizeMax = 1 << 30
    package var recordingsSizeMax = 10 << 30
    package var recordingsMax = 1_000
    package var recordingsAgeMax = Duration.seconds(30 * 86_400)
    package var flightRecorder: [String] = []
    package var flightRecorderDir: String?
    package var flightRecorderSizeMax = 64 << 20
    package var downloadsMax = 1_000

    // Limits
    package var connectionsMax = 10_000
    /// 0: no limit.
    package var connectionsPerAddressMax = 0
    /// As set; `sessionBounds` is what these three mean.
    package var sessionsMax: Int?
    package var sessionsPendingMax: Int?
    package var sessionsPerAddressMax: Int?
    /// In bytes.
    package var unreadSizeMax = 128 << 20
    /// 0: no limit.
    package var tlsHandshakesPerSecondMax = 1_000
    package var handshakeTimeout = Duration.seconds(10)
    package var headBytesMax = 16 * 1024
    package var bodyTimeout = Duration.seconds(30)
    package var keepAliveTimeout = Duration.seconds(75)
    package var idleTimeout = Duration.seconds(90)

    // Compression
    package var compression = false
    /// In bytes.
    package var compressionThreshold = 1024

    // Operation
    package var drainTimeout = Duration.seconds(30)
    package var drainWindow = Duration.seconds(10)
    package var logLevel = LogLevel.info
    package var logFormat = LogFormat.auto
    package var pidFile: String?
    package var metricsListen: [ListenAddress] = []
    /// From `operator-token`, or read from the file that `operator-token-file` names.
    package var operatorToken: Secret?
    package var operatorTokenFile: String?

    package init() {}

    /// Whether people have accounts of this server.
    package var usesAccounts: Bool { auth == .accounts || !apps.isEmpty }

    package func serves(_ app: AppChoice) -> Bool { apps.contains { $0.app == app || $0.app == .all } }

    /// Where the server listens: for itself, and then for applications with listeners of their own.
    package var addresses: [ListenAddress] { listen + apps.compactMap(\.listener) }

    package var originPolicy: OriginPolicy {
        if origins.contains("*") { return .any }
        return origins.isEmpty ? .sameOrigin : .listed(Set(origins.compactMap(WebOrigin.init)))
    }

    /// The domain and the origins of passkeys.
    package var passkeySite: PasskeySite {
        let url = publicURL.flatMap(PlainURL.init)
        let name: String? = if case .name(let name)? = url?.place?.host { name } else { nil }
        return PasskeySite(
            domain: passkeyDomain ?? name ?? PasskeySite.local.domain,
            origins: passkeyOrigins + [url?.origin].compactMap(\.self))
    }

    /// The names under which the server answers. Where tokens are needed, any name: a page of another name has no token.
    package var hostPolicy: HostPolicy {
        // Elsewhere a page of another name has no token and no code.
        guard auth == .open || developerCodes else { return .any }
        var hosts: Set<HostPort.Host> = []
        if let host = publicURL.flatMap(PlainURL.init)?.place?.host { hosts.insert(host) }
        // What an emulator of Android calls the machine that it runs on.
        if let address = IPAddress("10.0.2.2") { hosts.insert(.address(address)) }
        for case .tcp(let address, _) in addresses { hosts.insert(.address(address)) }
        return .known(hosts, anyAddress: addresses.contains { !$0.isLocal })
    }

    /// The clients that are closed last still have time to answer.
    package var drainWindowInUse: Duration { min(drainWindow, drainTimeout * 4 / 5) }

    /// The facts about this server that the board needs; nil when the board is off.
    package func boardFacts(takesUploads: Bool, recordsRooms: Bool = false) -> Board.Facts? {
        guard board == .on || (board == .auto && (auth == .open || auth == .accounts)) else { return nil }
        let uploads = Board.Facts.Uploads(photoBytesMax: photoBytesMax, audioBytesMax: audioBytesMax)
        return Board.Facts(
            auth: auth.rawValue, codes: auth == .accounts && sendsCodes, mail: auth == .accounts && mail != .off,
            path: path,
            uploads: takesUploads ? uploads : nil, bots: offersBots, recordings: recordsRooms,
            // On a server for trials alone: others do not tell how their network looks inside.
            addresses: demo ? NetworkAddresses.origins(listen, usesTLS: usesTLS) : [])
    }

    /// Whether one-time codes reach users: by text, or in the answer that developers see.
    private var sendsCodes: Bool { developerCodes || sms != .off }

    /// Whether bots may be invited from the board.
    package var offersBots: Bool { demo && whyNoBots == nil }

    /// Whether the test accounts of applications exist. Everybody knows their password.
    package var hasTestAccounts: Bool { demo && !apps.isEmpty && Relations.publication(self) == nil }

    /// The reason why bots cannot connect; nil if they can.
    var whyNoBots: String? {
        if auth != .open { return "bots have no token for auth \(auth.rawValue)" }
        if board == .off { return "the board, from which bots are invited, is off" }
        if usesTLS { return "bots cannot check the certificate of this server's own address" }
        if proxyProtocol { return "bots send no PROXY protocol header" }
        if listen.allSatisfy(\.isUnix) { return "bots do not come through Unix sockets" }
        return nil
    }

    /// The bounds of all sessions, of those without an accepted CONNECT, and of those of one address.
    var sessionBounds: (all: Int, pending: Int, perAddress: Int) {
        // A client that has lost its connection comes back before the server has noticed the loss.
        let all = sessionsMax ?? 2 * connectionsMax
        return (all, sessionsPendingMax ?? max(all / 4, 1), sessionsPerAddressMax ?? max(all / 2, 1))
    }

    package var usesTLS: Bool { tlsCert != nil && tlsKey != nil }
}
