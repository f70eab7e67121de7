import Configuration
import FoundationEssentials
import Glibc
import Logging
import Sessions
import Store
import Threads
import Transport

/// Runs the server that a configuration describes, until a signal stops it or another process takes over.
package enum ServerRunner {
    /// Returns after SIGTERM or SIGINT and the drain that follows, after SIGUSR2 when another process has taken over, or
    /// at once when the server cannot serve.
    package static func run(_ configuration: ServerConfiguration, _ logger: Logger) -> ExitCode {
        DescriptorLimit.raise(for: configuration)
        let signals = SignalQueue([SIGTERM, SIGINT, SIGHUP, SIGUSR2])
        let environment = ProcessInfo.processInfo.environment
        let manager = ServiceManager(environment)
        let sockets: ListeningSockets?
        let inheritance: Inheritance
        do throws(TransportError) {
            inheritance = try Inheritance(environment)
            sockets = try configuration.bind(inheritance, logger)
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            return .unavailable
        }
        let uploads = UploadWorker(configuration, logger)
        if inheritance.hasPredecessor {
            guard configuration.canUseStore(logger) else { return .storage }
            logger.info("prepared to take over")
            let end = inheritance.waitForPredecessor(signals, Watchdog(manager, nil))
            guard end == .over else { return .ok }
        }
        let member: ClusterMember?
        let store: (any ServerStore & HomeStore)?
        do throws(StoreError) {
            member = try ClusterMember(configuration, logger) { kill(getpid(), SIGTERM) }
            store = try configuration.openStore(waitMilliseconds: inheritance.hasPredecessor ? 2_000 : 0)
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            return .storage
        }
        let server: RoomsServer
        do throws(TransportError) {
            server = try RoomsServer(
                configuration, logger, store: store, member: member, sockets: sockets, uploads: uploads
            ) { kill(getpid(), SIGTERM) }
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            store?.close()
            member?.end()
            return .unavailable
        }
        let life = ServerLife(server, store, member, configuration, signals, manager, logger)
        return life.run(environment)
    }
}

extension ServerConfiguration {
    /// The listening sockets that this process was started with; nil when it has to bind its own.
    fileprivate func bind(
        _ inheritance: Inheritance, _ logger: Logger
    ) throws(TransportError) -> ListeningSockets? {
        if inheritance.sockets.isEmpty, !inheritance.hasPredecessor { return nil }
        let sockets = try ListeningSockets(addresses, shardCount: threads, inherited: inheritance.sockets)
        for address in sockets.unwanted {
            logger.warning(
                "a socket was passed on that neither listen nor apps names", ["address": address.description])
        }
        return sockets
    }

    /// Checks the store without opening it, while the predecessor still uses it.
    fileprivate func canUseStore(_ logger: Logger) -> Bool {
        do throws(StoreError) {
            if let place = try storePlace() { try DatabaseStore.checkVersion(in: place) }
            return true
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            return false
        }
    }

    /// The lock of a predecessor that died is released a moment later.
    fileprivate func openStore(waitMilliseconds: Int) throws(StoreError) -> DatabaseStore? {
        let waited = Elapsed()
        while true {
            do throws(StoreError) {
                return try openStore()
            } catch {
                guard case .inUse = error, waited.milliseconds < waitMilliseconds else { throw error }
                Clock.sleep(milliseconds: 20)
            }
        }
    }
}
