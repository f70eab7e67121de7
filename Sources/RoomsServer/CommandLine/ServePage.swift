import Configuration

/// What `rooms help serve` and `rooms serve --help` say.
enum ServePage {
    static func text() -> String {
        """
        Usage: rooms serve [--SETTING VALUE …]

        Runs the server until SIGTERM or SIGINT.

        First steps:
          rooms serve
              on 127.0.0.1:8080, for clients on this machine only
          rooms serve --listen 0.0.0.0:8080 --auth hs256 --auth-secret-file /etc/rooms/secret
              for every client with a token
          rooms check-config --config /etc/rooms/rooms.conf
              checks a configuration before it is used

        \(precedence)

        \(SettingGroup.allCases.map(group).joined(separator: "\n\n"))

        Durations are whole numbers with a unit: 500ms, 25s, 2m, 1h. Sizes are bytes or have a unit:
        1000000, 16KiB (1024 each), 1MB (1,000,000). Lists use commas, or the option is repeated. A flag
        alone is on (--eio3), may take on or off (--eio3 off), and with no- before its name is off
        (--no-eio3). rooms help SETTING says more about one setting: bounds, reasons, relations.

        The file has one setting on each line, without dashes; # begins a comment:
          listen = 0.0.0.0:8443
          tls-cert = /etc/rooms/fullchain.pem   # with the chain
          tls-key = /etc/rooms/privkey.pem
          origins = https://app.example.org, https://www.example.org

        Signals:
          SIGTERM, SIGINT   Drain: take no new sessions, tell clients, wait for drain-timeout, exit 0.
                            A second signal ends the process at once.
          SIGHUP            Read certificate and key again. Other settings need a restart.
          SIGUSR2           Start the program anew and hand over to it. No client is refused meanwhile.
                            If the new process cannot serve, this one continues.

        Exit codes:
        \(ExitCode.allCases.map { TextLayout.entry("\($0.rawValue)", $0.meaning, column: 8) }.joined(separator: "\n"))

        Examples:
          Behind a proxy on the same machine that sets X-Forwarded-For:
            rooms serve --listen unix:/run/rooms/rooms.sock --forwarded-for
          On the open network with TLS and the tokens of an OpenID provider:
            rooms serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem --auth jwks \\
              --auth-issuer https://example.eu.auth0.com/ --auth-audience https://rooms.example.org \\
              --auth-jwks-url https://example.eu.auth0.com/.well-known/jwks.json
          The same from the environment, as in a container:
            ROOMS_LISTEN=0.0.0.0:8080 ROOMS_AUTH=hs256 ROOMS_AUTH_SECRET_FILE=/run/secrets/rooms rooms serve

        """
    }

    static let precedence = """
        Every setting can be given as an option (--ping-interval 10s), as an environment variable
        (ROOMS_PING_INTERVAL=10s) and in a file (ping-interval = 10s) that --config FILE or ROOMS_CONFIG
        names. An option overrides the environment, the environment the file, the file the default. A
        list from one place replaces the whole list of another. An empty environment variable counts as
        not set.
        """

    private static func group(_ group: SettingGroup) -> String {
        var entries = Settings.all.filter { $0.group == group }.map(entry)
        if group == .operation {
            entries.append(TextLayout.entry("--config FILE", "File with settings. [none]", column: 34))
        }
        return "\(group.rawValue):\n" + entries.joined(separator: "\n")
    }

    private static func entry(_ setting: Setting) -> String {
        let value = setting.isFlag ? "" : " \(setting.placeholder)"
        let repeats = setting.isRepeatable ? " …" : ""
        return TextLayout.entry(
            "\(setting.optionName)\(value)\(repeats)", "\(setting.help) [\(setting.defaultText)]", column: 34)
    }
}

/// What `rooms help SETTING` says.
enum SettingPage {
    static func text(_ setting: Setting) -> String {
        let values = setting.bounds.isEmpty ? setting.placeholder : setting.bounds
        let several = setting.isRepeatable ? "; several with commas, or repeated" : ""
        let relations = Relations.all.filter { $0.settings.contains(setting.name) }.map {
            TextLayout.wrapped("- \($0.promise)", indent: 2)
        }
        let rules = relations.isEmpty ? "" : "\nMust hold:\n" + relations.joined(separator: "\n") + "\n"
        return """
            \(setting.name): \(setting.help)

            \(TextLayout.wrapped(setting.reason, indent: 0))

              Option:       \(setting.optionName) \(setting.placeholder)
              Environment:  \(setting.environmentName)
              File:         \(setting.name) = \(setting.placeholder)
              Values:       \(values)\(several)
              Default:      \(setting.defaultText)
            \(rules)
            """
    }
}
