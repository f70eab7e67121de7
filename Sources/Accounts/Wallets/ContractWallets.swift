import Chains
import Threads

/// Wallets that are contracts: they have no key, so a node of the chain is asked whether a contract takes a signature for its
/// own (EIP-1271). While the node fails it is left alone for a moment.
package final class ContractWallets: Sendable {
    private static let pauseMilliseconds: Int64 = 5_000

    private let workers: Workers<ContractQuestion, Result<Bool, ChainFault>>
    private let failedAt = Locked<Int64?>(nil)
    private let report: @Sendable (String) -> Void

    /// - Parameter report: told of a failure, for the log.
    package init(_ place: ChainPlace, report: @escaping @Sendable (String) -> Void) {
        self.report = report
        workers = Workers(threadCount: 1, waitingMax: 32) {
            guard let node = ChainNode(place) else {
                preconditionFailure("a good configuration has an address of a node")
            }
            return { question in Result { () throws(ChainFault) in try node.accepts(question) } }
        }
    }

    func stop() { workers.stop() }

    /// Whether the contract takes the signature; nil when nobody knows.
    func accepts(_ question: ContractQuestion) async -> Bool? {
        let failed = failedAt.withLock { $0 }
        if let failed, Clock.milliseconds() - failed < Self.pauseMilliseconds { return nil }
        switch await workers.run(question) {
        case .success(let isAccepted): return isAccepted
        case .failure(let fault):
            report(fault.reason)
            failedAt.withLock { $0 = Clock.milliseconds() }
            return nil
        case nil: return nil
        }
    }
}
