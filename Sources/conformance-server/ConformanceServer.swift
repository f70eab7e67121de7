import Glibc
import Sessions
import Threads
import Transport
import Wire

@main
enum ConformanceServer {
    static func main() {
        exit(serve(Array(CommandLine.arguments.dropFirst())))
    }

    private nonisolated static func serve(_ arguments: [String]) -> Int32 {
        if arguments.contains("--help") {
            print(Options.usage)
            return 0
        }
        do throws(TransportError) {
            let options = try Options(arguments)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGINT)
            sigaddset(&signals, SIGTERM)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let server = try start(options)
            announce(server, isSecure: options.certificate != nil)
            var received: Int32 = 0
            sigwait(&signals, &received)
            server.stop()
            return 0
        } catch {
            Console.error("conformance-server: \(error.description)\n")
            return 64
        }
    }

    private static func announce(_ server: TransportServer, isSecure: Bool) {
        for case .tcp(let address, let port) in server.addresses {
            Console.write("listening on \(isSecure ? "https" : "http")://\(address):\(port)\n")
        }
    }

    private static func start(_ options: Options) throws(TransportError) -> TransportServer {
        let hub = SocketHub()
        let lastReason = Locked("")
        if let directory = options.staticDirectory { _ = try StaticFiles(directory: directory) }
        return try TransportServer(options.transportConfiguration()) { shard in
            let service = SessionService(
                shard: shard, configuration: options.session,
                makeHandler: makeHandler(options, shard, hub, lastReason))
            let router = HTTPRouter()
            router.mount(service, at: service.mount, countsRequests: true)
            if options.echoes { router.mount(EchoService(compresses: options.session.compresses), at: ["/echo"]) }
            if options.fansOut { router.mount(FanOut(shard), at: ["/fan"]) }
            if let files = options.staticDirectory.flatMap({ try? StaticFiles(directory: $0) }) {
                router.mount(files, at: ["/*"])
            }
            return router
        }
    }

    private static func makeHandler(
        _ options: Options, _ shard: Shard, _ hub: SocketHub, _ lastReason: Locked<String>
    ) -> SessionService.MakeHandler {
        switch options.suite {
        case .engine: return { _ in EngineEcho() }
        case .socket:
            let server = SocketServer(shard: shard, hub: hub, configuration: options.session)
            server.open("/", SuiteNamespace())
            server.open("/custom", SuiteNamespace())
            TestNamespace.open(on: server, lastReason)
            return server.makeHandler
        }
    }
}

/// Unbuffered output, so that a program that reads it through a pipe gets each line at once.
enum Console {
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var text = text
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }
}

/// Sends every Engine.IO message back as it came.
private final class EngineEcho: EngineHandler {
    func opened(_ session: EngineSession) {}

    func received(_ message: Span<UInt8>, isBinary: Bool, on session: EngineSession) {
        session.send(message.withUnsafeBufferPointer { Array($0) }, isBinary: isBinary)
    }

    func closed(_ session: EngineSession, _ reason: DisconnectReason) {}
}
