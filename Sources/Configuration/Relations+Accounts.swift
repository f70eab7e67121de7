import Chains
import Transport

extension Relations {
    static let accounts: [Relation] = [
        Relation(
            settings: ["auth", "apps", "data", "store", "store-file"],
            promise: "`auth = accounts` and `apps` need `data` or `store`."
        ) { configuration in
            guard configuration.usesAccounts, !configuration.hasStore else { return nil }
            return Relation.Breach(
                problem: "accounts need a data directory or a store", right: "Right is data DIR")
        },
        Relation(
            settings: ["apps"],
            promise: "In `apps`, no name stands beside `all` without a place, or twice in one place."
        ) { configuration in
            let (mounts, below) = (configuration.apps, configuration.apps.filter { $0.place == .path })
            if below.contains(where: { $0.app == .all }), below.count > 1 {
                return Relation.Breach(
                    problem: "all has every application already", right: "Right is all, or a list of names")
            }
            guard let twice = mounts.indices.first(where: { mounts[..<$0].contains(mounts[$0]) }) else { return nil }
            let name = ValueType<AppMount>.app.format(mounts[twice])
            return Relation.Breach(problem: "\(name) is listed twice", right: "List each once")
        },
        Relation(
            settings: ["apps", "public-url", "listen", "metrics-listen"],
            promise: """
                A host or a listener in `apps` is of one application: no other entry has it, nor `listen` nor `metrics-listen`; and \
                the host is not `localhost` and not that of `public-url`.
                """,
            breach: placeBreach),
        Relation(
            settings: ["sms", "sms-account", "sms-key", "sms-key-file", "sms-from"],
            promise: """
                `sms = twilio` needs `sms-account`, `sms-from` and exactly one of `sms-key` and `sms-key-file`; \
                `sms = off` allows none of them.
                """,
            breach: smsBreach),
        Relation(
            settings: ["mail", "mail-from", "mail-user", "mail-key", "mail-key-file", "mail-ca-file", "data"],
            promise: """
                `mail` needs `mail-from`; `mail-user` needs exactly one of `mail-key` and `mail-key-file`; `mail = file` \
                needs `data` and allows neither a user nor `mail-ca-file`; `mail = off` allows none of them.
                """,
            breach: mailBreach),
        Relation(
            settings: ["apple-team", "apple-key-id", "apple-key-file", "apple-clients"],
            promise: "`apple-team`, `apple-key-id` and `apple-key-file` come together, with `apple-clients`."
        ) { configuration in
            let parts = [configuration.appleTeam, configuration.appleKeyID, configuration.appleKeyFile]
            let count = parts.compactMap(\.self).count
            guard count > 0 else { return nil }
            if count < parts.count {
                return Relation.Breach(
                    problem: "the key for Apple is not whole",
                    right: "Right is apple-team ID, apple-key-id ID and apple-key-file FILE")
            }
            guard configuration.appleClients.isEmpty else { return nil }
            return Relation.Breach(
                problem: "no users of Apple sign in", right: "Right is apple-clients ID with the key")
        },
        Relation(
            settings: ["wallet-node-url", "wallet-coin", "wallet-tokens"],
            promise: """
                `wallet-tokens` needs `wallet-node-url`, has at most 20 tokens, and no symbol twice, that of `wallet-coin` among them.
                """
        ) { configuration in
            let tokens = configuration.walletTokens
            guard !tokens.isEmpty else { return nil }
            if configuration.walletNodeURL == nil {
                return Relation.Breach(
                    problem: "no node is asked for tokens", right: "Right is wallet-node-url URL with them")
            }
            if tokens.count > 20 {
                return Relation.Breach(problem: "there are \(tokens.count) tokens", right: "Right is up to 20")
            }
            let symbols = tokens.map(\.symbol) + [configuration.walletCoin]
            guard Set(symbols).count < symbols.count else { return nil }
            return Relation.Breach(problem: "a symbol is there twice", right: "Right is one of a kind")
        },
        Relation(
            settings: [
                "developer-codes", "sms", "cluster-node", "listen", "apps", "trusted-proxies", "forwarded-for",
                "proxy-protocol", "public-url",
            ],
            promise: """
                `developer-codes` needs `sms = off`, no `cluster-node`, and a server that only clients on this machine reach, as for \
                `auth = open`; nothing lifts that.
                """
        ) { configuration in
            guard configuration.developerCodes else { return nil }
            if configuration.sms != .off {
                return Relation.Breach(
                    problem: "with developer-codes no texts are sent", right: "Right is sms off, or developer-codes off"
                )
            }
            if configuration.clusterNode != nil {
                return Relation.Breach(
                    problem: "the other nodes would take the codes of developers", right: "Right is developer-codes off"
                )
            }
            guard let sign = publication(configuration) else { return nil }
            return Relation.Breach(
                problem: "everybody knows the code of developers, and \(sign)",
                right: "Right is developer-codes off, or listen on 127.0.0.1 without a proxy")
        },
    ]

    private static func placeBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let own = configuration.publicURL.flatMap(PlainURL.init)?.place?.host
        var hosts: Set<String> = []
        for host in configuration.apps.compactMap(\.host) {
            if host == "localhost" || own == .name(host) {
                return Relation.Breach(
                    problem: "\(host) is the server's own name", right: "Right is a name for the application alone")
            }
            guard hosts.insert(host).inserted else {
                return Relation.Breach(
                    problem: "two applications have the host \(host)", right: "Right is a host for each")
            }
        }
        var taken = Set(configuration.listen + configuration.metricsListen)
        for address in configuration.apps.compactMap(\.listener) {
            if case .tcp(_, port: 0) = address { continue }
            guard taken.insert(address).inserted else {
                return Relation.Breach(
                    problem: "\(address) is in use twice", right: "Right is a port of its own for the application")
            }
        }
        return nil
    }

    private static func smsBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let keys = (configuration.smsKey == nil ? 0 : 1) + (configuration.smsKeyFile == nil ? 0 : 1)
        let (account, sender) = (configuration.smsAccount, configuration.smsFrom)
        let right = "Right is sms twilio with sms-account ID, sms-from NUMBER and sms-key-file FILE"
        guard configuration.sms != .off else {
            guard account != nil || sender != nil || keys > 0 else { return nil }
            return Relation.Breach(problem: "sms is off, so no texts are sent", right: right)
        }
        if account == nil { return Relation.Breach(problem: "the provider needs an account", right: right) }
        if sender == nil { return Relation.Breach(problem: "texts need a sender", right: right) }
        if keys == 1 { return nil }
        return Relation.Breach(problem: keys == 0 ? "the provider needs a key" : "there are two keys", right: right)
    }

    private static func mailBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let keys = (configuration.mailKey == nil ? 0 : 1) + (configuration.mailKeyFile == nil ? 0 : 1)
        let (sender, user) = (configuration.mailFrom, configuration.mailUser)
        let isOfServer = user != nil || keys > 0 || configuration.mailCAFile != nil
        let right = "Right is mail smtps://HOST with mail-from ADDRESS, mail-user NAME and mail-key-file FILE"
        if configuration.mail == .off {
            guard sender != nil || isOfServer else { return nil }
            return Relation.Breach(problem: "mail is off, so no letters are sent", right: right)
        }
        if sender == nil { return Relation.Breach(problem: "letters need a sender", right: right) }
        if configuration.mail == .file {
            if configuration.data == nil {
                return Relation.Breach(problem: "letters in files need a data directory", right: "Right is data DIR")
            }
            guard isOfServer else { return nil }
            return Relation.Breach(
                problem: "letters in files need no mail server", right: "Right is mail file with mail-from alone")
        }
        if user == nil, keys == 0 { return nil }
        if user == nil { return Relation.Breach(problem: "there is a key, but no user", right: right) }
        if keys == 1 { return nil }
        return Relation.Breach(problem: keys == 0 ? "the user needs a key" : "there are two keys", right: right)
    }
}
