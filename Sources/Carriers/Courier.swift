import Threads

/// Sends texts to people through a provider, from threads of its own.
package final class Courier: Sendable {
    private let workers: Workers<CarriedText, CarriedOutcome>
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - waitingMax: texts that wait for a thread. Past it they fail.
    ///   - report: told of a failure, for the log.
    package init(
        threadCount: Int = 2, waitingMax: Int = 64, report: @escaping @Sendable (String) -> Void,
        makeCarrier: @escaping @Sendable () -> any Carrier
    ) {
        self.report = report
        workers = Workers(threadCount: threadCount, waitingMax: waitingMax) {
            let carrier = makeCarrier()
            return { carrier.carry($0) }
        }
    }

    package func send(_ text: CarriedText) async -> CarriedOutcome {
        let outcome = await workers.run(text) ?? .failed("too many texts wait to be sent")
        if case .failed(let reason) = outcome { report(reason) }
        return outcome
    }

    package func stop() { workers.stop() }
}
