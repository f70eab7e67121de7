import Logging
import Store
import Threads

/// What operators do, and who tries to be one: in the log, and for the console. Without a store the newest lines are kept
/// in memory.
package final class AuditLog: Sendable {
    static let keptMax = 500
    private static let subjectBytesMax = 500

    private struct State {
        /// The oldest first.
        var kept: [AuditEntry] = []
        var gate = RefusalGate()
        var number = 0
        /// When this server began, and began before.
        var starts: [Int64] = []
        /// When tokens were refused, the latest last.
        var refusals: [Int64] = []
    }

    private let state = Locked(State())
    private let store: (any OperatorStore)?
    private let logger: Logger
    /// The number of this node; 0 on a server that is not part of a cluster.
    let server: Int

    package init(_ store: (any OperatorStore)?, _ logger: Logger, server: Int) {
        self.store = store
        self.logger = logger
        self.server = server
    }

    /// An operator has done something, or tried to.
    func record(_ action: String, _ subject: String, outcome: String, asker: String) {
        logger.info(
            "an operator acts", ["action": action, "subject": subject, "outcome": outcome, "address": asker])
        keep(action, subject, outcome: outcome, asker: asker)
    }

    /// This server has begun.
    package func begun(version: String) {
        let at = keep("start", "version \(version)", outcome: "done", asker: "")
        state.withLock { $0.starts = [at] }
        // Read once: the charts must not wait for a store that fails.
        store?.auditTimes(of: "start", server: server, since: at - 3_600_000) { [state] result in
            let before = ((try? result.get()) ?? []).filter { $0 < at }
            state.withLock { $0.starts = before + [at] }
        }
    }

    /// Somebody has shown a wrong token.
    func refused(_ path: String, asker: String) {
        let now = ServerHistory.unixMilliseconds
        let line = state.withLock { state in
            state.refusals = state.refusals.filter { now - $0 < 600_000 }.suffix(Self.keptMax) + [now]
            return state.gate.refused(asker, at: now)
        }
        guard let line else { return }
        logger.warning(
            "the operators' token was refused",
            ["address": asker, "path": path, "times": line.own, "timesOfOthers": line.others])
        let own = line.own > 1 ? "refused \(line.own) times" : "refused"
        let others = line.others > 0 ? ", and \(line.others) from other addresses" : ""
        keep("token", path, outcome: own + others, asker: asker)
    }

    /// Refused tokens of the last ten minutes, up to a bound.
    var refusedLately: Int {
        let now = ServerHistory.unixMilliseconds
        return state.withLock { $0.refusals.count { now - $0 < 600_000 } }
    }

    @discardableResult
    private func keep(_ action: String, _ subject: String, outcome: String, asker: String) -> Int64 {
        let at = ServerHistory.unixMilliseconds
        let entry = state.withLock { state in
            state.number += 1
            let number = String(state.number + 1_000_000, radix: 36)
            let entry = AuditEntry(
                at: at, id: "\(number)-\(String(UInt32.random(in: 0 ... .max), radix: 36))", server: server,
                asker: asker, action: action, subject: Self.cut(subject), outcome: Self.cut(outcome))
            state.kept = state.kept.suffix(Self.keptMax - 1) + [entry]
            return entry
        }
        store?.addAudit(entry) { [logger] result in
            guard case .failure(let error) = result else { return }
            logger.error("a line of the operators' log is not stored", ["reason": error.description])
        }
        return at
    }

    /// Not within a letter.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > subjectBytesMax else { return text }
        var cut = ""
        for letter in text where cut.utf8.count + letter.utf8.count <= subjectBytesMax { cut.append(letter) }
        return cut
    }

    // MARK: Reading

    /// The newest first. When the store cannot be read: what this server has written lately.
    func page(_ cursor: String?, limit: Int, then answer: @escaping @Sendable (Page<AuditEntry>) -> Void) {
        guard let store else { return answer(page(ofKept: cursor, limit)) }
        store.audit(PageRequest(limit: limit, cursor: cursor)) { [self] result in
            answer((try? result.get()) ?? page(ofKept: cursor, limit))
        }
    }

    private func page(ofKept cursor: String?, _ limit: Int) -> Page<AuditEntry> {
        let all = Array(state.withLock { $0.kept }.reversed())
        let begin = cursor.flatMap { id in all.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let part = Array(all[begin...].prefix(limit))
        return Page(items: part, next: begin + limit < all.count ? part.last?.id : nil)
    }

    /// When this server began, and when it began before in the last hour, in milliseconds since 1970.
    var starts: [Int64] {
        let since = ServerHistory.unixMilliseconds - 3_600_000
        return state.withLock { state in state.starts.filter { $0 >= since } }
    }
}
