import Configuration
import Glibc
import Identity

/// What the options of `rooms token` say.
struct TokenOptions {
    struct Fault: Error {
        let problem: String
    }

    private(set) var asksForHelp = false
    /// Arguments that are settings of the server.
    private(set) var settings: [String] = []
    private var texts: [String: String] = [:]
    private var lifetime = Duration.seconds(3_600)

    private static let own = ["sub", "name", "email", "expires"]
    /// Shorter names for settings.
    private static let aliases = ["audience": "auth-audience", "issuer": "auth-issuer"]
    private static let daysMax = 366

    static func read(_ arguments: [String]) -> Result<TokenOptions, Fault> {
        var options = TokenOptions()
        do throws(Fault) {
            var rest = arguments[...]
            while let argument = rest.popFirst() { try options.take(argument, &rest) }
            if !options.asksForHelp { try options.check() }
            return .success(options)
        } catch {
            return .failure(error)
        }
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(Fault) {
        if argument == "--help" || argument == "-h" {
            asksForHelp = true
            return
        }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map { $0.hasPrefix("--") ? String($0.dropFirst(2)) : "" } ?? ""
        if let setting = Self.aliases[name] {
            settings.append(parts.count == 2 ? "--\(setting)=\(parts[1])" : "--\(setting)")
        } else if Self.own.contains(name) {
            guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw Fault(problem: "--\(name) needs a value.")
            }
            guard texts.updateValue(text, forKey: name) == nil else {
                throw Fault(problem: "--\(name) is given twice.")
            }
        } else {
            settings.append(argument)
        }
    }

    private mutating func check() throws(Fault) {
        guard let subject = texts["sub"] else {
            throw Fault(problem: "--sub is needed; it names the user of the token.")
        }
        guard TestToken.isSubject(subject) else {
            throw Fault(problem: "--sub is a text of 1 to 128 bytes without control characters.")
        }
        guard let text = texts["expires"] else { return }
        guard let duration = DurationText.parse(text), duration >= .seconds(1),
            duration <= .seconds(86_400 * Self.daysMax)
        else { throw Fault(problem: "--expires is a duration from 1s to \(24 * Self.daysMax)h, like 90s or 12h.") }
        lifetime = duration
    }

    func token(_ configuration: ServerConfiguration) -> TestToken {
        let now = Int64(Glibc.time(nil))
        let seconds = Int64(lifetime.wholeMilliseconds / 1_000)
        var token = TestToken(subject: texts["sub"] ?? "", issuedAt: now, expiresAt: now + seconds)
        token.name = texts["name"]
        token.email = texts["email"]
        token.issuer = configuration.authIssuer
        token.audience = configuration.authAudience
        return token
    }

    static let page = """
        Usage: rooms token --sub NAME [OPTION …]

        Prints a token that a server with auth hs256 and the same secret, issuer and audience takes.

        Options:
          --sub NAME        For whom it is: the user's id, 1 to 128 bytes.
          --name TEXT       What to call them.
          --email TEXT      Their address of mail.
          --expires DURATION
                            For how long it is good, from 1s on. [1h]
          --audience TEXT   The same as --auth-audience.
          --issuer TEXT     The same as --auth-issuer.

        The secret, issuer and audience are settings, and are taken from where rooms serve would take them:
        options, ROOMS_AUTH_SECRET and the like, or the file that --config FILE or ROOMS_CONFIG names.

        Examples:
          rooms token --sub alice --name Alice --config /etc/rooms/rooms.conf
          ROOMS_AUTH_SECRET=$(cat secret) rooms token --sub bob --expires 5m

        """
}
