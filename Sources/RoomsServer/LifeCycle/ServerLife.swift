import Configuration
import Glibc
import Logging
import Store
import Transport

/// A server from its first connection to its last.
struct ServerLife {
    private let server: RoomsServer
    private let store: (any ServerStore)?
    private let configuration: ServerConfiguration
    private let signals: SignalQueue
    private let manager: ServiceManager
    private let watchdog: Watchdog
    private let logger: Logger
    private let pidFile: PIDFile?

    init(
        _ server: RoomsServer, _ store: (any ServerStore)?, _ configuration: ServerConfiguration,
        _ signals: SignalQueue, _ manager: ServiceManager, _ logger: Logger
    ) {
        self.server = server
        self.store = store
        self.configuration = configuration
        self.signals = signals
        self.manager = manager
        self.logger = logger
        watchdog = Watchdog(manager, server.loopCheck)
        pidFile = configuration.pidFile.map { PIDFile($0, logger) }
    }

    func run(_ environment: [String: String]) -> ExitCode {
        for address in server.addresses { logger.info("listening", ["address": address]) }
        for address in server.metricsAddresses { logger.info("metrics", ["address": address]) }
        manager.ready("serving")
        while true {
            watchdog.comeBy()
            guard let signal = signals.wait(milliseconds: watchdog.millisecondsMax) else { continue }
            switch signal {
            case SIGHUP: reload()
            case SIGUSR2: if upgrade(environment) { return .ok }
            default: return stop()
            }
        }
    }

    private func reload() {
        manager.reloading()
        server.reloadCertificate()
        manager.ready("serving")
    }

    private func stop() -> ExitCode {
        manager.stopping("draining")
        drain(overMilliseconds: configuration.drainWindowInUse.wholeMilliseconds, limit: configuration.drainTimeout)
        server.stop()
        store?.close()
        pidFile?.remove()
        logger.info("stopped")
        return .ok
    }

    // MARK: Draining

    /// Sends those who are connected away in stages, until all have left, the time is over or a second signal comes.
    private func drain(overMilliseconds window: Int, limit: Duration) {
        let limit = limit.wholeMilliseconds
        logger.info(
            "draining",
            [
                "sessions": server.sessionCount, "connections": server.connectionCount, "overMilliseconds": window,
                "limitMilliseconds": limit,
            ])
        server.drain(overMilliseconds: window)
        var waited = 0
        while !server.isEmpty, waited < limit {
            if let signal = signals.wait(milliseconds: 50), signal == SIGTERM || signal == SIGINT {
                return logger.warning("drain cut short by a signal", ["sessions": server.sessionCount])
            }
            waited += 50
            if waited % 1_000 == 0 { logger.info("draining", ["sessions": server.sessionCount]) }
        }
        if server.isEmpty {
            logger.info("drained", ["milliseconds": waited])
        } else {
            logger.warning("drain time is over", ["sessions": server.sessionCount])
        }
    }

    // MARK: Handing over

    /// Has the program as it is on disk by now go on with the sockets and the data. Answers false, and nothing has
    /// changed, when that does not come so far that it could.
    private func upgrade(_ environment: [String: String]) -> Bool {
        var fault = ""
        let successor = Successor(
            sockets: server.listeningDescriptors, keepsFiles: !server.removesSocketFiles, environment: environment,
            fault: &fault)
        guard let successor else {
            logger.error("upgrade failed; this process goes on", ["reason": fault])
            return false
        }
        logger.info("upgrade begins", ["successor": Int(successor.process)])
        if let reason = reasonNotPrepared(successor) {
            logger.error("upgrade failed; this process goes on", ["reason": reason])
            return false
        }
        finishUploads()
        manager.isContinued(by: successor.process)
        // Who connects from now on waits in the sockets' queues, until the other accepts.
        server.handOverSockets()
        drain(overMilliseconds: HandoverLimits.windowMilliseconds, limit: HandoverLimits.drain)
        server.stop()
        store?.close()
        logger.info("handed over", ["successor": Int(successor.process)])
        successor.release()
        return true
    }

    /// Serves on, without new uploads, until those under way are done: the successor cannot go on with them. What takes longer
    /// is cut off with the other connections, and the client sends it again.
    private func finishUploads() {
        server.refuseUploads()
        var waited = 0
        while server.uploadCount > 0, waited < HandoverLimits.uploadsMilliseconds {
            watchdog.comeBy()
            if let signal = signals.wait(milliseconds: 50), signal == SIGTERM || signal == SIGINT { break }
            waited += 50
        }
        let left = server.uploadCount
        if left > 0 { logger.warning("uploads are cut off", ["uploads": left]) }
    }

    /// Serves on while the successor prepares itself; nil when it has.
    private func reasonNotPrepared(_ successor: Successor) -> String? {
        for _ in 0..<(Successor.preparingMillisecondsMax / 50) {
            watchdog.comeBy()
            switch successor.state(afterMilliseconds: 50) {
            case .prepared: return nil
            case .ended(let reason): return reason
            case .preparing: break
            }
        }
        successor.cancel()
        return "it was not prepared within \(Successor.preparingMillisecondsMax / 1_000) s"
    }
}

/// How long a server takes to send its clients away that hands over. Nobody is served from their going until the last
/// has gone, so it is short: clients come back spread over a time of their own.
private enum HandoverLimits {
    /// How long uploads may take to end before that. Everybody else is served meanwhile.
    static let uploadsMilliseconds = 10_000
    static let windowMilliseconds = 250
    /// Some have lost their line and take no good-bye.
    static let drain = Duration.seconds(2)
}
