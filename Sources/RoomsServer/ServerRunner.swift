import Glibc
import Sessions
import Store
import Transport

/// Runs the server that a configuration describes, until it is told to stop.
public enum ServerRunner {
    /// Returns after SIGTERM or SIGINT and the drain that follows, or at once when the server cannot serve.
    public static func run(_ configuration: ServerConfiguration, _ logger: Logger) -> ExitCode {
        DescriptorLimit.raise(for: configuration)
        let signals = SignalQueue([SIGTERM, SIGINT, SIGHUP])
        let store: (any ServerStore)?
        do throws(StoreError) {
            store = try configuration.openStore()
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            return .storage
        }
        defer { store?.close() }
        let server: RoomsServer
        do throws(TransportError) {
            server = try RoomsServer(configuration, logger, store: store) { kill(getpid(), SIGTERM) }
        } catch {
            logger.error("cannot serve", ["reason": error.description])
            return .unavailable
        }
        let pidFile = configuration.pidFile.map { PIDFile($0, logger) }
        defer { pidFile?.remove() }
        for address in server.addresses { logger.info("listening", ["address": address]) }
        for address in server.metricsAddresses { logger.info("metrics", ["address": address]) }
        waitForStop(server, signals, logger)
        drain(server, signals, configuration, logger)
        server.stop()
        logger.info("stopped")
        return .ok
    }

    private static func waitForStop(_ server: RoomsServer, _ signals: SignalQueue, _ logger: Logger) {
        while signals.wait() == SIGHUP { server.reloadCertificate() }
    }

    /// Sends those who are connected away in stages, until all have left, the time is over or a second signal comes.
    private static func drain(
        _ server: RoomsServer, _ signals: SignalQueue, _ configuration: ServerConfiguration, _ logger: Logger
    ) {
        let limit = configuration.drainTimeout.wholeMilliseconds
        let window = configuration.drainWindowInUse.wholeMilliseconds
        logger.info(
            "draining",
            [
                "sessions": server.sessionCount, "connections": server.connectionCount, "overMilliseconds": window,
                "limitMilliseconds": limit,
            ])
        server.drain(overMilliseconds: window)
        var waited = 0
        while !server.isEmpty, waited < limit {
            if let signal = signals.wait(milliseconds: 50), signal != SIGHUP {
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
}

/// Signals that are taken one by one by a thread that waits for them, and interrupt nobody.
struct SignalQueue {
    private var wanted = sigset_t()

    /// To be made before other threads are, which inherit that these signals are blocked.
    init(_ signals: [Int32]) {
        sigemptyset(&wanted)
        for signal in signals { sigaddset(&wanted, signal) }
        pthread_sigmask(SIG_BLOCK, &wanted, nil)
    }

    func wait() -> Int32 {
        var wanted = wanted
        var signal: Int32 = 0
        sigwait(&wanted, &signal)
        return signal
    }

    func wait(milliseconds: Int) -> Int32? {
        var wanted = wanted
        var time = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        let signal = sigtimedwait(&wanted, nil, &time)
        return signal > 0 ? signal : nil
    }
}

/// The process id in a file, for those who want to send signals.
private struct PIDFile {
    private let path: String

    init(_ path: String, _ logger: Logger) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            logger.warning("no pid file", ["path": path, "reason": String(cString: strerror(errno))])
            return
        }
        var text = "\(getpid())\n"
        text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    func remove() {
        unlink(path)
    }
}
