import Configuration
import Glibc
import Identity

extension Command {
    static let token = Command(
        name: "token", usage: "token --sub NAME [OPTION …]", summary: "Make a token for hs256, to test with.",
        page: { TokenOptions.page }
    ) { context in
        let options: TokenOptions
        switch TokenOptions.read(context.arguments) {
        case .failure(let fault): return context.refuse(fault.problem, help: "rooms help token")
        case .success(let read): options = read
        }
        if options.asksForHelp {
            context.standardOutput(TokenOptions.page)
            return .ok
        }
        let report = TokenSettings.read(options.settings, environment: context.environment)
        guard report.isGood, let secret = report.configuration.authSecret else {
            context.standardError(FindingsPage.text(report))
            return FindingsPage.exitCode(report)
        }
        guard let token = options.token(report.configuration).signed(secret: secret.revealed()) else {
            context.standardError("rooms: the token could not be signed.\n")
            return .internalError
        }
        context.standardOutput("\(token)\n")
        return .ok
    }
}

/// The settings of a server that a token is made for: secret, issuer, audience.
private enum TokenSettings {
    /// Settings whose faults matter here. Whether the server's ports are free and its certificate is good does not.
    private static let names: Set<String> = [
        "auth", "auth-secret", "auth-secret-file", "auth-issuer", "auth-audience", "auth-jwks-url",
        Settings.fileOption,
    ]

    static func read(_ arguments: [String], environment: [String: String]) -> ConfigurationReport {
        var report = all(arguments, environment)
        // Without a mode, hs256 is meant: only this mode has a secret.
        if report.source(of: "auth") == .builtIn { report = all(arguments + ["--auth=hs256"], environment) }
        report.faults.removeAll { $0.kind != .usage && names.isDisjoint(with: $0.settings) }
        if report.isGood, report.configuration.auth != .hs256 {
            let mode = report.configuration.auth.rawValue
            let right = mode == "jwks" ? "Ask the provider for a token" : "Right is auth hs256"
            let fault = report.finding(["auth"], "rooms cannot make tokens for auth \(mode)", right: right)
            report.faults.append(fault)
        }
        return report
    }

    private static func all(_ arguments: [String], _ environment: [String: String]) -> ConfigurationReport {
        let reader = ConfigurationReader(arguments: arguments, environment: environment)
        // The caller has handled `--help` before.
        guard case .report(let report) = reader.read() else { return ConfigurationReport() }
        return report
    }
}
