import Configuration
import Glibc
import Recordings
import RoomsBots

/// Commands that record a room, and send a recording to a server.
extension Command {
    static let record = Command(
        name: "record", usage: "record ROOM FILE [OPTION …]", summary: "Record a room as a member of it.",
        page: { recordPage }
    ) { context in
        run(
            context, "record", operands: ["ROOM", "FILE"], options: ["size-max"], page: recordPage
        ) { (arguments, signals) throws(ToolFault) in
            var options = RecordOptions()
            options.url = arguments["url"] ?? options.url
            options.room = arguments.operands[0]
            options.path = arguments.operands[1]
            options.bytesMax = try arguments.size("size-max") ?? options.bytesMax
            options.trust = try arguments.trust()
            options.token = try arguments.tokens()?(arguments["name"] ?? "recorder") ?? options.token
            let seconds = try arguments.seconds("duration")
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let recording: RecordRun
            do throws(RecordRun.Fault) {
                recording = try RecordRun(options, now: Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
            } catch { throw .of(error) }
            wait(signals, seconds: seconds, stop: recording.stop) { recording.result != nil }
            guard let report = recording.result else { return .internalError }
            context.standardOutput(
                "\(report.lineCount) events of \(report.milliseconds / 1_000) s in \(report.byteCount) bytes: \(report.reason).\n"
            )
            return report.hasFailed || report.lineCount == 0 ? .unavailable : .ok
        }
    }

    static let replay = Command(
        name: "replay", usage: "replay FILE [OPTION …]",
        summary: "Send the motions of a recording to a server.", page: { replayPage }
    ) { context in
        run(
            context, "replay", operands: ["FILE"], options: ["room", "speed"], page: replayPage
        ) { (arguments, signals) throws(ToolFault) in
            var options = ReplayOptions()
            options.url = arguments["url"] ?? options.url
            options.path = arguments.operands[0]
            options.room = arguments["room"]
            options.speed = try arguments.number("speed", 0.01...100) ?? options.speed
            options.prefix = arguments["name"] ?? options.prefix
            options.trust = try arguments.trust()
            options.token = try arguments.tokens() ?? options.token
            DescriptorLimit.raise(to: 10_200)
            let replay: ReplayRun
            do throws(RecordRun.Fault) { replay = try ReplayRun(options) } catch { throw .of(error) }
            wait(signals, seconds: try arguments.seconds("duration"), stop: replay.stop) { replay.result != nil }
            guard let report = replay.result else { return .internalError }
            context.standardOutput("\(report.line)\n")
            if let fault = report.fault {
                context.standardError("rooms: \(fault)\n")
                return .badData
            }
            return report.joins > 0 || report.people == 0 ? .ok : .unavailable
        }
    }

    private static let options = ["url", "duration", "name", "token", "secret", "issuer", "audience", "ca-file"]

    private static func run(
        _ context: CommandContext, _ name: String, operands: [String], options: [String], page: String,
        _ body: (ToolArguments, SignalQueue) throws(ToolFault) -> ExitCode
    ) -> ExitCode {
        do throws(ToolFault) {
            let arguments = try ToolArguments(context.arguments, operands: operands, options: Self.options + options)
            if arguments.asksForHelp {
                context.standardOutput(page)
                return .ok
            }
            return try body(arguments, SignalQueue([SIGINT, SIGTERM]))
        } catch {
            guard error.code == .usage else {
                context.standardError("rooms: \(error.problem)\n")
                return error.code
            }
            return context.refuse(error.problem, help: "rooms help \(name)")
        }
    }

    /// Waits for the end, for a signal, or until the time is over; the last two ask for the end.
    private static func wait(
        _ signals: SignalQueue, seconds: Double?, stop: () -> Void, hasEnded: () -> Bool
    ) {
        let begin = ContinuousClock.now
        var isStopping = false
        while !hasEnded() {
            let isSignalled = signals.wait(milliseconds: 20) != nil
            if isSignalled, isStopping { return }
            let isOver = seconds.map { begin.duration(to: .now) >= .seconds($0) } ?? false
            if !isStopping, isSignalled || isOver {
                isStopping = true
                stop()
            }
        }
    }
}

extension ToolFault {
    fileprivate static func of(_ fault: RecordRun.Fault) -> ToolFault {
        switch fault {
        case .client: ToolFault("\(fault)")
        case .file(.file(_, _)): ToolFault("\(fault)", .storage)
        case .file: ToolFault("\(fault)", .badData)
        }
    }
}

private let recordPage = """
    Usage: rooms record ROOM FILE [OPTION …]

    Joins a room and writes what its members are told into a file, until --duration, --size-max, the
    end of the room, or the first SIGINT or SIGTERM. The others see the recorder among the participants.
    The file is compressed: zcat FILE shows its lines. See docs/RECORDING.md.

    Options:
      --url URL         http, https, ws or wss, and the path if it is not /socket.io/.
                        [http://127.0.0.1:8080]
      --duration DURATION
                        How long to record. [until stopped]
      --size-max SIZE   The recording ends before the file would become larger. [1GiB]
      --token TEXT      The recorder's token. [its name]
      --name TEXT       The recorder's name, for a server with auth open or with --secret. [recorder]
      --secret TEXT     Makes a token, for a server with auth hs256 and this secret.
      --issuer TEXT     The issuer of this token.
      --audience TEXT   The audience of this token.
      --ca-file FILE    Authorities of the server's certificate. [those of the system]

    Examples:
      rooms record lobby lobby.rec --duration 10m
      rooms record 4f1c team.rec --url wss://rooms.example.org --token "$TOKEN"

    """

private let replayPage = """
    Usage: rooms replay FILE [OPTION …]

    Sends the motions of a recording to a server, as load with the motion of real people: each recorded
    participant becomes a connection that joins, moves, lifts and leaves as the participant did.
    Elements are not made again. A second SIGINT or SIGTERM ends the process at once.

    Options:
      --url URL         http, https, ws or wss, and the path if it is not /socket.io/.
                        [http://127.0.0.1:8080]
      --room ID         The room to join. [the recording's]
      --speed NUMBER    How many times as fast, from 0.01 to 100. [1]
      --duration DURATION
                        Ends the replay before the end of the recording.
      --name TEXT       A participant's name is this text, a hyphen and a number. [replay]
      --token TEXT      The token of all participants. [without --secret: the participant's name]
      --secret TEXT     Makes a token for each participant, for auth hs256 with this secret.
      --issuer TEXT     The issuer of these tokens.
      --audience TEXT   The audience of these tokens.
      --ca-file FILE    Authorities of the server's certificate. [those of the system]

    Example:
      rooms replay lobby.rec --url http://127.0.0.1:8080 --speed 4

    """
