import RoomsClient
import Threads

/// Runs bots on a thread of their own.
///
///     let run = try BotRun(options) { report in print(report.line) }
///     …
///     run.stop()
///     let result = run.wait()
package final class BotRun: Sendable {
    private let loop: ClientLoop
    private let swarm: LoopBound<BotSwarm?>
    private let last = Locked<BotReport?>(nil)

    /// - Parameter report: called every second on the bots' thread.
    package init(_ options: BotOptions, report: @escaping @Sendable (BotReport) -> Void = { _ in }) throws(ClientError)
    {
        _ = try ServerURL(options.url)
        loop = try ClientLoop()
        let last = last
        let made = BotSwarm(options, loop) { told in
            report(told)
            if told.verdict != nil { last.withLock { $0 = told } }
        }
        swarm = LoopBound(value: made)
        let swarm = swarm
        loop.post { swarm.value?.start() }
    }

    /// Stops the bots. Bots of chaos first compare their views, which takes some seconds.
    package func stop() {
        let swarm = swarm
        loop.post { swarm.value?.stop() }
    }

    /// The last report, once the bots have ended.
    package var result: BotReport? { last.withLock { $0 } }

    deinit {
        loop.stop()
    }
}
