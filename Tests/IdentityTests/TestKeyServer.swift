import Testing
import Threads
import Transport

/// A key server on loopback whose answers the test changes as it goes.
final class TestKeyServer: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: [(String, String)] = [("Content-Type", "application/json")]
        var body: [UInt8] = []
        /// Never answers.
        var isSilent = false
    }

    private let server: TransportServer
    private let answer: Locked<Answer>
    private let requests = Locked(0)
    private let files: [ScratchFile]

    init(_ body: [UInt8] = [], tls: (certificate: String, key: String)? = nil, port: UInt16 = 0) throws {
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: port)]
        if let tls {
            files = [try ScratchFile(tls.certificate), try ScratchFile(tls.key)]
            configuration.tls = TLSFiles(certificate: files[0].path, key: files[1].path)
        } else {
            files = []
        }
        let answer = Locked(Answer(body: body))
        let requests = requests
        self.answer = answer
        server = try TransportServer(configuration) { _ in
            Service {
                requests.withLock { $0 += 1 }
                return answer.withLock { $0 }
            }
        }
    }

    var port: UInt16 {
        if case .tcp(_, let port)? = server.addresses.first { port } else { 0 }
    }

    func url(_ host: String = "127.0.0.1", path: String = "/keys.json") -> String {
        "\(server.isSecure ? "https" : "http")://\(host):\(port)\(path)"
    }

    var requestCount: Int { requests.withLock { $0 } }

    func set(_ change: @Sendable (inout Answer) -> Void) { answer.withLock { change(&$0) } }

    func publish(_ keys: TestKey...) {
        let body = keySet(keys.map { $0.jwk() })
        set { $0 = Answer(body: body) }
    }

    func stop() { server.stop() }

    private final class Service: HTTPService {
        private let answer: () -> Answer
        private var held: [HTTPExchange] = []

        init(_ answer: @escaping () -> Answer) {
            self.answer = answer
        }

        func handle(_ exchange: HTTPExchange) {
            let answer = answer()
            if answer.isSilent { return held.append(exchange) }
            exchange.respond(answer.status, answer.headers, body: answer.body)
        }
    }
}
