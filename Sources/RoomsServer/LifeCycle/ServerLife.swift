import Configuration
import Glibc
import Logging
import Store
import Threads
import Transport

/// Runs a server from its first connection to its last one.
struct ServerLife {
    private let server: RoomsServer
    private let store: (any ServerStore)?
    private let member: ClusterMember?
    private let configuration: ServerConfiguration
    private let signals: SignalQueue
    private let manager: ServiceManager
    private let watchdog: Watchdog
    private let logger: Logger
    private let pidFile: PIDFile?

    init(
        _ server: RoomsServer, _ store: (any ServerStore)?, _ member: ClusterMember?,
        _ configuration: ServerConfiguration,
        _ signals: SignalQueue, _ manager: ServiceManager, _ logger: Logger
    ) {
        self.server = server
        self.store = store
        self.member = member
        self.configuration = configuration
        self.signals = signals
        self.manager = manager
        self.logger = logger
        watchdog = Watchdog(manager, server.loopCheck)
        pidFile = configuration.pidFile.map { PIDFile($0, logger) }
    }

    func run(_ environment: [String: String]) -> ExitCode {
        for address in server.addresses { logger.info("listening", ["address": address]) }
        for (address, app) in zip(server.appAddresses, configuration.apps.filter { $0.listener != nil }) {
            logger.info("listening", ["address": address, "app": app.app.rawValue])
        }
        for address in server.metricsAddresses { logger.info("metrics", ["address": address]) }
        var isToldOpen = tellReady()
        while true {
            watchdog.comeBy()
            let pause = isToldOpen ? watchdog.millisecondsMax : min(watchdog.millisecondsMax ?? 1_000, 1_000)
            let signal = signals.wait(milliseconds: pause)
            if server.isOpen != isToldOpen { isToldOpen = tellReady() }
            guard let signal else { continue }
            switch signal {
            case SIGHUP: isToldOpen = reload()
            case SIGUSR2: if upgrade(environment) { return .ok }
            default: return stop()
            }
        }
    }

    /// A service that waits for its store has started nevertheless: another start would not help it. Returns whether it was
    /// told to be open: it may open right behind that.
    private func tellReady() -> Bool {
        let isOpen = server.isOpen
        manager.ready(isOpen ? "serving" : "closed until the bans are read")
        return isOpen
    }

    private func reload() -> Bool {
        manager.reloading()
        server.reloadCertificate()
        return tellReady()
    }

    private func stop() -> ExitCode {
        manager.stopping("draining")
        let (window, limit) = (configuration.drainWindowInUse.wholeMilliseconds, configuration.drainTimeout)
        if drain(overMilliseconds: window, limit: limit) { handOverRooms(within: HandoverLimits.roomsMilliseconds) }
        server.stop()
        store?.close()
        member?.end()
        pidFile?.remove()
        logger.info("stopped")
        return .ok
    }

    // MARK: Draining

    /// Closes the sessions one after another, until all have ended or the time is over. Returns false when a second signal
    /// comes.
    private func drain(overMilliseconds window: Int, limit: Duration) -> Bool {
        let limit = limit.wholeMilliseconds
        logger.info(
            "draining",
            [
                "sessions": server.sessionCount, "connections": server.connectionCount, "overMilliseconds": window,
                "limitMilliseconds": limit,
            ])
        server.drain(overMilliseconds: window)
        let waited = Elapsed()
        var toldSeconds = 0
        while !server.isEmpty, waited.milliseconds < limit {
            if let signal = signals.wait(milliseconds: 50), signal == SIGTERM || signal == SIGINT {
                logger.warning("drain cut short by a signal", ["sessions": server.sessionCount])
                return false
            }
            if waited.milliseconds / 1_000 > toldSeconds {
                toldSeconds = waited.milliseconds / 1_000
                logger.info("draining", ["sessions": server.sessionCount])
            }
        }
        if server.isEmpty {
            logger.info("drained", ["milliseconds": waited.milliseconds])
        } else {
            logger.warning("drain time is over", ["sessions": server.sessionCount])
        }
        return true
    }

    /// Gives the rooms to the other nodes of the cluster, as fast as these take them. Those that are left in the end are
    /// claimed when this node's lease has ended.
    private func handOverRooms(within milliseconds: Int) {
        server.handOverRooms()
        let waited = Elapsed()
        while server.handsOverRooms, waited.milliseconds < milliseconds {
            if let signal = signals.wait(milliseconds: 10), signal == SIGTERM || signal == SIGINT { return }
        }
        if server.handsOverRooms { logger.warning("some rooms have not been handed over") }
    }

    // MARK: Handing over

    /// Starts the program that is on disk now, and hands the sockets and the data over to it. Returns false when the
    /// new process could not take over; then nothing has changed.
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
        // From now on new connections wait in the queues of the sockets, until the successor accepts them.
        server.handOverSockets()
        if drain(overMilliseconds: HandoverLimits.windowMilliseconds, limit: HandoverLimits.drain) {
            handOverRooms(within: HandoverLimits.roomsMillisecondsOfUpgrade)
        }
        server.stop()
        store?.close()
        member?.end()
        logger.info("handed over", ["successor": Int(successor.process)])
        successor.release()
        return true
    }

    /// Keeps serving, without new uploads, until the current ones are done: the successor cannot continue them. An
    /// upload that takes longer is cut off with the other connections, and the client sends it again.
    private func finishUploads() {
        server.refuseUploads()
        let waited = Elapsed()
        while server.uploadCount > 0, waited.milliseconds < HandoverLimits.uploadsMilliseconds {
            watchdog.comeBy()
            if let signal = signals.wait(milliseconds: 50), signal == SIGTERM || signal == SIGINT { break }
        }
        let left = server.uploadCount
        if left > 0 { logger.warning("uploads are cut off", ["uploads": left]) }
    }

    /// Keeps serving while the successor prepares itself. Returns nil when it has, or the reason why it has not.
    private func reasonNotPrepared(_ successor: Successor) -> String? {
        let waited = Elapsed()
        while waited.milliseconds < Successor.preparingMillisecondsMax {
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

/// How long a server that hands over takes to close its sessions. No client is served until the last session has
/// ended, so it is short. Clients spread their return over a time of their own.
private enum HandoverLimits {
    /// How long uploads may take to end before that. All other clients are served meanwhile.
    static let uploadsMilliseconds = 10_000
    static let windowMilliseconds = 250
    /// How long the rooms of a node of a cluster may take to go to other nodes. During an upgrade new clients wait for it.
    static let roomsMilliseconds = 30_000
    static let roomsMillisecondsOfUpgrade = 10_000
    /// Some clients have lost their connection and do not take a close frame.
    static let drain = Duration.seconds(2)
}
