import Configuration
import Glibc
import Identity
import RoomsBots
import RoomsClient

/// What the options of `rooms bot` say.
struct BotArguments {
    struct Fault: Error {
        let problem: String
    }

    private(set) var options = BotOptions()
    private(set) var asksForHelp = false
    private(set) var isQuiet = false
    private var texts: [String: String] = [:]

    private static let names = [
        "url", "room", "rooms", "count", "behaviour", "hz", "duration", "seed", "ramp", "transport", "touch", "view",
        "token", "secret", "issuer", "audience", "ca-file", "name",
    ]

    static func read(_ arguments: [String]) -> Result<BotArguments, Fault> {
        var read = BotArguments()
        do throws(Fault) {
            var rest = arguments[...]
            while let argument = rest.popFirst() { try read.take(argument, &rest) }
            if !read.asksForHelp { try read.apply() }
            return .success(read)
        } catch {
            return .failure(error)
        }
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(Fault) {
        switch argument {
        case "--help", "-h":
            asksForHelp = true
            return
        case "--quiet":
            isQuiet = true
            return
        default: break
        }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map { $0.hasPrefix("--") ? String($0.dropFirst(2)) : "" } ?? ""
        guard Self.names.contains(name) else {
            let hint = NearestName.of(name, in: Self.names).map { " Did you mean --\($0)?" } ?? ""
            throw Fault(problem: "there is no option \"\(RawSettings.shown(argument))\".\(hint)")
        }
        guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw Fault(problem: "--\(name) needs a value.")
        }
        guard texts.updateValue(text, forKey: name) == nil else { throw Fault(problem: "--\(name) is given twice.") }
    }

    private mutating func apply() throws(Fault) {
        options.url = texts["url"] ?? options.url
        options.prefix = texts["name"] ?? options.prefix
        options.behaviour = try choice("behaviour") ?? options.behaviour
        options.transport = try choice("transport") ?? options.transport
        options.count = Int(try number("count", 1...100_000) ?? Double(options.count))
        options.hz = try number("hz", 0.1...1_000) ?? options.hz
        options.ramp = try number("ramp", 0.1...100_000) ?? options.ramp
        if let text = texts["duration"] {
            guard let duration = DurationText.parse(text), duration > .zero else {
                throw Fault(problem: "--duration is a duration, like 90s or 12h.")
            }
            options.seconds = Double(duration.wholeMilliseconds) / 1_000
        }
        options.seed = try number("seed", 0...9_007_199_254_740_991).map { UInt64($0) } ?? UInt64(Glibc.time(nil))
        let room = texts["room"] ?? "lobby"
        let count = Int(try number("rooms", 1...100_000) ?? 1)
        options.rooms = count == 1 ? [room] : (0..<count).map { "\(room)-\($0)" }
        switch texts["touch"] ?? "binary" {
        case "single": options.touches = .single
        case "batch": options.touches = .batches
        case "binary": break
        default: throw Fault(problem: "--touch is single, batch or binary.")
        }
        options.view = try number("view", 1...1_000_000)
        guard options.view == nil || options.behaviour != .chaos else {
            throw Fault(problem: "--view is not for bots of chaos, which check all that they receive.")
        }
        try applyTrust()
        try applyTokens()
    }

    private func number(_ name: String, _ range: ClosedRange<Double>) throws(Fault) -> Double? {
        guard let text = texts[name] else { return nil }
        let mayBeFraction = name == "hz" || name == "ramp"
        guard let value = Double(text), range.contains(value), mayBeFraction || value == value.rounded() else {
            throw Fault(problem: "--\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(Fault) -> Choice? where Choice.RawValue == String {
        guard let text = texts[name] else { return nil }
        guard let value = Choice(rawValue: text) else {
            throw Fault(problem: "--\(name) is one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return value
    }

    private mutating func applyTrust() throws(Fault) {
        guard let file = texts["ca-file"] else { return }
        do throws(ClientError) {
            options.trust = try TLSTrust(authorities: file)
        } catch {
            throw Fault(problem: "--ca-file: \(error)")
        }
    }

    private mutating func applyTokens() throws(Fault) {
        if let token = texts["token"] {
            guard texts["secret"] == nil else { throw Fault(problem: "bots take --token or --secret, not both.") }
            options.token = { _ in token }
        } else if let secret = texts["secret"].map({ Array($0.utf8) }) {
            let (issuer, audience) = (texts["issuer"], texts["audience"])
            options.token = { name in
                let now = Int64(Glibc.time(nil))
                var token = TestToken(subject: name, issuedAt: now, expiresAt: now + 7 * 86_400)
                token.issuer = issuer
                token.audience = audience
                return token.signed(secret: secret)
            }
        }
    }

    static let page = """
        Usage: rooms bot [OPTION …]

        Connects simulated users (bots) to a server: for demonstrations, and to check that a server keeps
        its promises. They stop after --duration, or at the first SIGINT or SIGTERM. A second signal ends
        the process at once.

        Options:
          --url URL         http, https, ws or wss, and the path if it is not /socket.io/.
                            [http://127.0.0.1:8080]
          --room ID         The room that the bots join. [lobby]
          --rooms COUNT     The number of rooms. With several, a room's id is --room, a hyphen and a number,
                            and the bots are spread over the rooms. [1]
          --count COUNT     The number of bots. All run on one thread. [10]
          --behaviour NAME  What the bots do. [wander]
                              wander  move about, with rests
                              draw    draw short strokes, and create, move and delete notes
                              follow  follow another participant
                              write   write together in the first note of the room
                              idle    do nothing
                              chaos   draw, lose connections in every way, stall, come back, send garbage,
                                      and check everything they receive against the protocol's promises
          --hz NUMBER       Positions that a moving bot sends in a second. [30]
          --duration DURATION
                            How long the bots run. [until stopped]
          --ramp NUMBER     How many bots connect in a second. [200]
          --seed NUMBER     The seed of all random decisions. [the time]
          --transport NAME  websocket, upgrade, polling or mixed. [websocket]
          --touch FORM      single, batch or binary: the form in which bots receive touches. [binary]
          --view NUMBER     Each bot gets the touches in a square of this side around its own. [all touches]
          --name TEXT       A bot's name is this text, a hyphen and a number. [bot]
          --token TEXT      The token of all bots. [without --secret: the bot's name]
          --secret TEXT     Makes a token for each bot, for a server with auth hs256 and this secret.
          --issuer TEXT     The issuer of these tokens.
          --audience TEXT   The audience of these tokens.
          --ca-file FILE    Authorities of the server's certificate. [those of the system]
          --quiet           Prints no line every second.

        The exit code is 1 when a bot with --behaviour chaos saw a broken promise. The message names the
        promise, the bot and what it sent last.

        Examples:
          rooms bot --count 20 --behaviour draw
          rooms bot --behaviour chaos --count 50 --rooms 5 --duration 60s --seed 7

        """
}
