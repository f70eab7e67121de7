extension Settings {
    static let accounts: [Setting] = [
        Setting(
            "apps", .accounts, list: \.apps, .app, none: "none",
            "The applications whose interfaces the server has: names, or all; may be repeated.",
            """
            Each is below a path of its own, such as /subspace. NAME@HOST is the root of a host name at the addresses of \
            listen, and NAME@ADDRESS:PORT the root of a listener that has nothing else; both have the certificate and the \
            limits of the server. Their users have one account for all of them. With auth accounts the same account is the \
            user in rooms.
            """),
        Setting(
            "password-memory", .accounts, \.passwordMemory, .size(8 << 20...1 << 30),
            "Memory for the hash of a password (Argon2id). Two hashes are made at a time.",
            """
            The more memory and passes a hash takes, the longer guessing takes for somebody who has stolen the \
            database. At the next sign-in of a user the hash is made anew with the new costs.
            """),
        Setting(
            "password-passes", .accounts, \.passwordPasses, .count(1...100),
            "How many times the hash of a password goes over its memory.",
            "A hash with the default costs takes 50 to 100 ms of one core."),
        Setting(
            "sms", .accounts, \.sms, .choice,
            "The provider that carries one-time codes to the telephones of users.",
            """
            Users of SOUL, and with auth accounts those of rooms, sign in with a telephone number and a code. Without a \
            provider they cannot.
            """),
        Setting(
            "sms-account", .accounts, optional: \.smsAccount, .text(most: 128),
            "The id of the account at the provider of text messages.",
            "For Twilio it begins with AC."),
        Setting(
            "sms-key", .accounts, optional: \.smsKey, .secret,
            "The key of the account at the provider of text messages. Better given as a file.",
            "As with auth-secret: other users and programs can read options and the environment."),
        Setting(
            "sms-key-file", .accounts, optional: \.smsKeyFile, .path("FILE"),
            "File that holds the key of the account at the provider of text messages.",
            """
            A line end after the key is not part of it. Only the server's user should be able to read the file (mode \
            0400).
            """),
        Setting(
            "sms-from", .accounts, optional: \.smsFrom, .text(most: 64),
            "The sender of text messages: a number, a name, or a messaging service (MG...).",
            "It must belong to the account at the provider."),
        Setting(
            "sms-url", .accounts, \.smsURL, .providerURL,
            "The address of the provider of text messages.",
            "For a private proxy, and for tests. Over https, because each request contains the key."),
        Setting(
            "sms-per-hour-max", .accounts, \.smsPerHourMax, .count(1...1_000_000),
            "How many one-time codes the server sends in an hour, over all nodes of a cluster.",
            """
            The provider wants money for each. Past it users have to wait. Each number, address and network has limits of \
            its own besides: docs/SECURITY.md.
            """),
        Setting(
            "sms-regions", .accounts, list: \.smsRegions, .region, none: "all",
            "The countries whose telephone numbers get codes, by two letters; may be repeated.",
            "Fraud with text messages goes to countries in which an operator often has no users."),
        Setting(
            "passkey-domain", .accounts, optional: \.passkeyDomain, .domain,
            "The domain that the passkeys of users belong to; by default the host of public-url.",
            """
            A name alone. Without it, and without a name in public-url, it is localhost, for trials. With another \
            domain all passkeys are lost to their users.
            """),
        Setting(
            "passkey-origins", .accounts, list: \.passkeyOrigins, .passkeyOrigin, none: "none",
            "Other origins of pages and apps that use the passkeys; may be repeated.",
            """
            The domain itself over https is one already. A page at another port or host below the domain, and an app for \
            Android (android:apk-key-hash:...), have origins of their own.
            """),
        Setting(
            "wallet-chain", .accounts, \.walletChain, .text(most: 40),
            "The name of the chain of the wallets.", "As applications show it."),
        Setting(
            "wallet-chain-id", .accounts, \.walletChainID, .count(1...9_007_199_254_740_991),
            "The number of the chain of the wallets (EIP-155).",
            "A message that a wallet signs must name it. 1 is Ethereum's main chain."),
        Setting(
            "wallet-node-url", .accounts, optional: \.walletNodeURL, .providerURL,
            "The address of a node of the chain, which is asked about wallets over JSON-RPC.",
            """
            Without one no balances are known, and wallets that are contracts cannot sign. Over https: the node learns the addresses of users. A provider's key may be \
            in the path; it is not in the log.
            """),
        Setting(
            "wallet-coin", .accounts, \.walletCoin, .coin,
            "What the chain's own coin is called.", "It has 18 decimals."),
        Setting(
            "wallet-tokens", .accounts, list: \.walletTokens, .walletToken, none: "none",
            "Tokens of the chain (ERC-20) that balances have besides the coin; may be repeated.",
            "USDC:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6 on Ethereum's main chain. At most 20."),
        Setting(
            "wallet-balance-age", .accounts, \.walletBalanceAge, .duration(.seconds(1) ... .seconds(86_400)),
            "How old a balance may be before the node is asked again.",
            "So often the wallets are looked at whose owners want to hear of changes. Providers want money for each request."
        ),
        Setting(
            "google-clients", .accounts, list: \.googleClients, .text(most: 255), none: "none",
            "The client ids with which applications sign in users of Google; may be repeated.",
            "The aud of the identity tokens. Without one users of Google cannot sign in."),
        Setting(
            "google-keys-url", .accounts, \.googleKeysURL, .keySetURL,
            "The address of Google's keys.", "For tests, and for a proxy."),
        Setting(
            "apple-clients", .accounts, list: \.appleClients, .text(most: 255), none: "none",
            "The client ids with which applications sign in users of Apple; may be repeated.",
            "The aud of the identity tokens: the bundle id of the app. Without one users of Apple cannot sign in."),
        Setting(
            "apple-team", .accounts, optional: \.appleTeam, .text(most: 64),
            "The id of the developers' team at Apple.",
            "With a key the server tells Apple when the account of one of its users has ended, as Apple asks of apps."),
        Setting(
            "apple-key-id", .accounts, optional: \.appleKeyID, .text(most: 64),
            "The id of the team's key at Apple.", "Apple shows it beside the key."),
        Setting(
            "apple-key-file", .accounts, optional: \.appleKeyFile, .path("FILE"),
            "File that holds the team's private key, as Apple gives it (AuthKey_....p8).",
            "Only the server's user should be able to read the file (mode 0400)."),
        Setting(
            "apple-url", .accounts, \.appleURL, .providerURL,
            "The address of Apple's service.", "For tests, and for a proxy."),
        Setting(
            "apple-keys-url", .accounts, \.appleKeysURL, .keySetURL,
            "The address of Apple's keys.", "For tests, and for a proxy."),
        Setting(
            "mail", .accounts, \.mail, .mail,
            "The mail server for letters to users: smtps://HOST, or smtp://HOST with STARTTLS.",
            """
            Users confirm and change their e-mail addresses, and set new passwords, with codes in letters. file is for \
            developers: the letters are files in mail below the data directory. On loopback smtp is not encrypted.
            """),
        Setting(
            "mail-from", .accounts, optional: \.mailFrom, .emailAddress,
            "The sender of letters.",
            "The mail server must let the server send for this address."),
        Setting(
            "mail-user", .accounts, optional: \.mailUser, .text(most: 255),
            "The user at the mail server; without one the server asks for no key.",
            "Often the same as the sender."),
        Setting(
            "mail-key", .accounts, optional: \.mailKey, .mailKey,
            "The password of the user at the mail server. Better given as a file.",
            "As with auth-secret: other users and programs can read options and the environment."),
        Setting(
            "mail-key-file", .accounts, optional: \.mailKeyFile, .path("FILE"),
            "File that holds the password of the user at the mail server.",
            """
            A line end after the password is not part of it. Only the server's user should be able to read the file (mode \
            0400).
            """),
        Setting(
            "mail-ca-file", .accounts, optional: \.mailCAFile, .path("FILE"),
            "PEM file of the authorities that vouch for the mail server, not those of the system.",
            "For a company's own mail server. The server reads it for each letter."),
        Setting(
            "mail-per-hour-max", .accounts, \.mailPerHourMax, .count(1...1_000_000),
            "How many letters users can ask for in an hour, over all nodes of a cluster.",
            "A mail server that sends too many is taken for a source of spam. Each address and network has limits of its own."
        ),
        Setting(
            "developer-codes", .accounts, \.developerCodes, .flag,
            "Every one-time code is 123456, and the answer to a request for one shows it.",
            "For developers. The server sends no texts then, and must not be reachable from other machines."),
    ]
}
