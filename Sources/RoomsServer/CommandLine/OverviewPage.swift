/// What `rooms help` and `rooms --help` say.
enum OverviewPage {
    static func text(_ commands: [Command]) -> String {
        let own = Command(
            name: "help", usage: "help [COMMAND|SETTING]", summary: "Explain a command or a setting.", page: { "" },
            run: { _ in .ok })
        let list = (commands + [own]).map { TextLayout.entry($0.usage, $0.summary, column: 36) }
        let codes = ExitCode.allCases.map { TextLayout.entry("\($0.rawValue)", $0.meaning, column: 8) }
        return """
            rooms \(Version.current): shared rooms over Socket.IO.

            Usage: rooms COMMAND [OPTION …]

            First steps:
              rooms serve                           Serve on 127.0.0.1:8080, for clients on this machine only.
              rooms help serve                      Read about every setting.
              rooms check-config --config FILE      Check a configuration before it is used.

            Commands:
            \(list.joined(separator: "\n"))

            \(ServePage.precedence)

            Exit codes:
            \(codes.joined(separator: "\n"))

            """
    }
}
