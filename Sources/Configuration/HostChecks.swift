import Cluster
import Identity
import Push
import Transport

/// Checks a configuration against this machine: files, permissions, limits. It changes nothing and binds no port.
struct HostChecks {
    var descriptorsMax = DescriptorLimit.most

    func check(_ report: inout ConfigurationReport) {
        checkSecretFile(&report)
        checkAuthorities("auth-ca-file", \.authCAFile, &report)
        checkAuthorities("mail-ca-file", \.mailCAFile, &report)
        checkAuthorities("push-ca-file", \.pushCAFile, &report)
        checkTLS(&report)
        checkSockets(&report)
        checkDirectories(&report)
        checkDescriptors(&report)
        warnOfWhatIsSeen(&report)
        warnOfWhatNodesTell(&report)
    }

    // MARK: Secrets

    /// Checks the files of secrets, and copies the secrets into the configuration.
    private func checkSecretFile(_ report: inout ConfigurationReport) {
        takeSecret("auth-secret-file", \.authSecretFile, \.authSecret, &report)
        takeSecret("operator-token-file", \.operatorTokenFile, \.operatorToken, &report)
        takeSecret("push-key-file", \.pushKeyFile, \.pushKey, &report)
        takeSecret(
            "fcm-key-file", \.fcmKeyFile, \.fcmKey, &report, check: ValueType.checkServiceAccount)
        takeSecret("apns-key-file", \.apnsKeyFile, \.apnsKey, &report, check: ValueType.checkAPNsKey)
        takeSecret("sms-key-file", \.smsKeyFile, \.smsKey, &report)
        takeSecret("apple-key-file", \.appleKeyFile, \.appleKey, &report)
        takeSecret("mail-key-file", \.mailKeyFile, \.mailKey, &report, check: ValueType.checkMailKey)
        takeSecret(
            "media-bucket-key-file", \.mediaBucketKeyFile, \.mediaBucketKey, &report,
            check: ValueType.checkBucketKey)
        takeSecret("store-file", \.storeFile, \.store, &report, check: ValueType.checkStoreURL)
        takeSecret("cluster-redis-file", \.clusterRedisFile, \.clusterRedis, &report, check: ValueType.checkRedisURLs)
        takeSecret("cluster-secret-file", \.clusterSecretFile, \.clusterSecret, &report)
        guard report.configuration.pushKey.map({ OneSignal.canStandInHeader($0.revealed()) }) == false else { return }
        let setting = report.configuration.pushKeyFile == nil ? "push-key" : "push-key-file"
        report.faults.append(
            report.finding([setting], "the key has a blank or a control character", right: "Right is the key alone"))
    }

    private func takeSecret(
        _ setting: String, _ file: KeyPath<ServerConfiguration, String?>,
        _ field: WritableKeyPath<ServerConfiguration, Secret?>, _ report: inout ConfigurationReport,
        check: ([UInt8]) -> Result<Secret, ValueFault> = { ValueType.check($0) }
    ) {
        guard let path = report.configuration[keyPath: file], report.isReadable(setting) else { return }
        switch FileContent.read(path, bytesMax: 64 * 1024) {
        case .failure(let fault):
            refuse([setting], path, fault.problem, right: "Right is a file that this user may read", &report)
        case .success(var bytes):
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            switch check(bytes) {
            case .success(let secret): report.configuration[keyPath: field] = secret
            case .failure(let fault): refuse([setting], path, fault.problem, right: fault.right, &report)
            }
        }
        warnIfReadableByAll(setting, path, &report)
    }

    private func checkAuthorities(
        _ setting: String, _ file: KeyPath<ServerConfiguration, String?>, _ report: inout ConfigurationReport
    ) {
        guard let path = report.configuration[keyPath: file], report.isReadable(setting) else { return }
        let right = "Right is a PEM file that this user may read"
        switch FileContent.read(path, bytesMax: 4 << 20) {
        case .failure(let fault): refuse([setting], path, fault.problem, right: right, &report)
        case .success:
            guard !KeyServerAuthorities.isGood(path) else { return }
            refuse([setting], path, "has no certificate in PEM", right: right, &report)
        }
    }

    private func warnIfReadableByAll(_ setting: String, _ path: String, _ report: inout ConfigurationReport) {
        guard FileContent.isReadableByAll(path) else { return }
        warn([setting], "all users of this machine may read \(path)", right: "Right is chmod 0400 or 0440", &report)
    }

    private func warnOfWhatIsSeen(_ report: inout ConfigurationReport) {
        for setting in [
            "auth-secret", "operator-token", "push-key", "sms-key", "mail-key", "media-bucket-key", "store",
            "cluster-redis", "cluster-secret",
        ] {
            switch report.source(of: setting) {
            case .option:
                let problem = "all users of this machine can read a secret in an option"
                warn([setting], problem, right: "Right is \(setting)-file FILE", &report)
            case .file(let path, _): warnIfReadableByAll(setting, path, &report)
            default: break
            }
        }
        let configuration = report.configuration
        if !configuration.trustedProxies.isEmpty, !configuration.proxyProtocol, !configuration.forwardedFor {
            let right = "Add --proxy-protocol or --forwarded-for"
            warn(["trusted-proxies"], "proxies are trusted, but may not state an address", right: right, &report)
        }
        if configuration.serves(.soul), configuration.sms == .off, !configuration.developerCodes {
            let problem = "users of SOUL cannot sign in: no provider carries their codes"
            warn(["apps"], problem, right: "Right is sms twilio, or developer-codes on for developers", &report)
        }
        if configuration.sms != .off, configuration.smsRegions.isEmpty {
            let problem = "texts go to the telephone numbers of all countries, dear ones too"
            warn(["sms-regions"], problem, right: "Right is the countries of your users", &report)
        }
        // With applications the demo is of use without bots, too.
        if configuration.demo, !configuration.hasTestAccounts, let reason = configuration.whyNoBots {
            warn(["demo"], "users cannot invite bots: \(reason)", right: "Right is to leave demo off", &report)
        }
    }

    /// Nodes sign what they tell each other, and do not encrypt it. A Sentinel on this machine names a primary that may be on
    /// another one, and is reached as the Sentinel is.
    private func warnOfWhatNodesTell(_ report: inout ConfigurationReport) {
        guard let urls = report.configuration.clusterRedis, let servers = try? RedisServer.list(urls.revealed()),
            servers.contains(where: {
                !$0.isSecure && ($0.sentinelName != nil || HostPort($0.authority)?.host.isLoopback != true)
            })
        else { return }
        let setting = report.configuration.clusterRedisFile == nil ? "cluster-redis" : "cluster-redis-file"
        let problem =
            "without TLS, who listens on the way to Redis reads what the nodes tell each other: contents of rooms, and "
            + "what members see of each other"
        warn([setting], problem, right: "Right is rediss://, or a network of which nobody else is a part", &report)
    }

    // MARK: TLS

    private func checkTLS(_ report: inout ConfigurationReport) {
        guard let certificate = report.configuration.tlsCert, let key = report.configuration.tlsKey,
            report.isReadable("tls-cert"), report.isReadable("tls-key")
        else { return }
        let right = "Right is a PEM file that this user may read"
        var areRead = true
        for (setting, path) in [("tls-cert", certificate), ("tls-key", key)] {
            guard case .failure(let fault) = FileContent.read(path, bytesMax: 1 << 20) else { continue }
            refuse([setting], path, fault.problem, right: right, &report)
            areRead = false
        }
        guard areRead else { return }
        warnIfReadableByAll("tls-key", key, &report)
        switch TLSPair.check(certificate: certificate, key: key) {
        case .good(let daysLeft) where daysLeft < 0:
            warn(["tls-cert"], "the certificate has expired", right: "Renew it and send SIGHUP", &report)
        case .good(let daysLeft) where daysLeft < 14:
            warn(["tls-cert"], "the certificate expires in \(daysLeft) days", right: "Renew it", &report)
        case .good: break
        case .noCertificate: refuse(["tls-cert"], certificate, "has no certificate in PEM", right: right, &report)
        case .noKey:
            refuse(["tls-key"], key, "has no private key in PEM without a pass phrase", right: right, &report)
        case .mismatch:
            let right = "Right is the key of the first certificate in the chain"
            refuse(["tls-cert", "tls-key"], certificate, "does not match \(key)", right: right, &report)
        }
    }

    // MARK: Places

    private func checkSockets(_ report: inout ConfigurationReport) {
        checkSockets("listen", report.configuration.listen, &report)
        checkSockets("apps", report.configuration.apps.compactMap(\.listener), &report)
        checkSockets("metrics-listen", report.configuration.metricsListen, &report)
    }

    private func checkSockets(_ setting: String, _ addresses: [ListenAddress], _ report: inout ConfigurationReport) {
        guard report.isReadable(setting) else { return }
        for case .unix(let path) in addresses {
            if let kind = FileContent.kind(path), kind != .socket {
                refuse([setting], path, "exists and is not a socket", right: "Choose another path", &report)
            } else {
                checkParent(of: path, setting, &report)
            }
        }
    }

    private func checkDirectories(_ report: inout ConfigurationReport) {
        if let path = report.configuration.pidFile, report.isReadable("pid-file") {
            checkParent(of: path, "pid-file", &report)
        }
        checkDirectory(report.configuration.data, "data", &report)
        checkDirectory(report.configuration.media, "media", &report)
    }

    private func checkDirectory(_ path: String?, _ setting: String, _ report: inout ConfigurationReport) {
        guard let path, report.isReadable(setting) else { return }
        switch FileContent.kind(path) {
        case nil: checkParent(of: path, setting, &report)
        case .directory where FileContent.isWritable(path):
            guard FileContent.isOpenToAll(path) else { break }
            let problem = "all users of this machine may open \(RawSettings.shown(path))"
            warn([setting], problem, right: "Right is chmod 0750 or 0700", &report)
        case .directory:
            let right = "Change its owner or choose another"
            refuse([setting], path, "cannot be written by this user", right: right, &report)
        default: refuse([setting], path, "is not a directory", right: "Choose another path", &report)
        }
    }

    private func checkParent(of path: String, _ setting: String, _ report: inout ConfigurationReport) {
        let parent = FileContent.parent(path)
        guard FileContent.kind(parent) == .directory, FileContent.isWritable(parent) else {
            let problem = "cannot be made, because \(parent) is not a directory that this user can write"
            return refuse([setting], path, problem, right: "Make \(parent) and give it to the server's user", &report)
        }
    }

    // MARK: Limits

    private func checkDescriptors(_ report: inout ConfigurationReport) {
        let needed = DescriptorLimit.needed(by: report.configuration)
        guard needed > descriptorsMax, report.isReadable("connections-max"), report.isReadable("threads") else {
            return
        }
        let room = max(0, descriptorsMax - DescriptorLimit.reserve(for: report.configuration))
        warn(
            ["connections-max"],
            "\(report.configuration.connectionsMax) connections need \(needed) file descriptors, but this process may "
                + "have at most \(descriptorsMax), enough for \(room) connections",
            right: """
                Raise the hard limit to \(needed) (systemd: LimitNOFILE=\(needed); docker: --ulimit nofile=\(needed); \
                shell: ulimit -Hn \(needed) as root), or lower connections-max
                """, &report)
    }

    // MARK: Findings

    private func refuse(
        _ settings: [String], _ path: String, _ problem: String, right: String, _ report: inout ConfigurationReport
    ) {
        report.faults.append(report.finding(settings, "\(RawSettings.shown(path)) \(problem)", right: right))
    }

    private func warn(
        _ settings: [String], _ problem: String, right: String, _ report: inout ConfigurationReport
    ) {
        report.warnings.append(report.finding(settings, problem, right: right))
    }
}
