import Configuration
import Glibc
import RoomsBots
import Threads

extension Command {
    static let bot = Command(
        name: "bot", usage: "bot [OPTION …]", summary: "Connect simulated users (bots) to a server.",
        page: { BotArguments.page }
    ) { context in
        let arguments: BotArguments
        switch BotArguments.read(context.arguments) {
        case .failure(let fault): return context.refuse(fault.problem, help: "rooms help bot")
        case .success(let read): arguments = read
        }
        if arguments.asksForHelp {
            context.standardOutput(BotArguments.page)
            return .ok
        }
        return BotCommand(arguments, context).run()
    }
}

/// A run of bots until its time is over, a signal comes or a promise is broken.
struct BotCommand {
    private let arguments: BotArguments
    private let context: CommandContext
    private let signals: SignalQueue

    init(_ arguments: BotArguments, _ context: CommandContext) {
        self.arguments = arguments
        self.context = context
        signals = SignalQueue([SIGINT, SIGTERM])
    }

    func run() -> ExitCode {
        DescriptorLimit.raise(to: arguments.options.count + 200)
        let isQuiet = arguments.isQuiet
        let run: BotRun
        do {
            run = try BotRun(arguments.options) { [context] report in
                if !isQuiet { context.standardError("\(report.line)\n") }
            }
        } catch {
            context.standardError("rooms: \(error)\n")
            return .usage
        }
        let elapsed = Elapsed()
        var isStopping = false
        while run.result == nil {
            let isSignalled = signals.wait(milliseconds: 50) != nil
            if isSignalled, isStopping { return .ok }
            let isOver = arguments.options.seconds.map { Double(elapsed.milliseconds) >= 1_000 * $0 } ?? false
            if !isStopping, isSignalled || isOver {
                isStopping = true
                run.stop()
            }
        }
        return run.result.map(tell) ?? .internalError
    }

    private func tell(_ report: BotReport) -> ExitCode {
        context.standardOutput("\(report.line)\n")
        if case .failure(let broken) = report.verdict {
            context.standardError("rooms: \(broken)\n")
            return .brokenPromise
        }
        guard report.connectedCount > 0 else {
            context.standardError("rooms: no bot could connect.\n")
            return .unavailable
        }
        return .ok
    }
}
