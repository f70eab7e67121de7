import Testing
import Threads
import Transport
import Wire

/// A provider on loopback: it knows notifications again by their idempotency key, as the real one does, and fails as the
/// test wants it.
final class StandIn: Sendable {
    enum Mood: Sendable {
        case good
        /// Answers this and takes nothing.
        case answers(Int, [(String, String)], String)
        /// Takes the notification and never says so.
        case takesSilently
        /// Takes nothing and says nothing.
        case silent
        /// Takes the notification, and answers this.
        case takes(String)
    }

    struct Taken: Sendable {
        let key: String
        let body: JSONReader
        let authorization: String?

        var devices: [String] { (body["include_subscription_ids"]?.items ?? []).compactMap(\.string) }
        var type: String? { body["data"]?["type"]?.string }
        var room: String? { body["data"]?["roomId"]?.string }
    }

    private struct State {
        var mood = Mood.good
        var requests = 0
        var taken: [Taken] = []
    }

    private let server: TransportServer
    private let state: Locked<State>

    /// - Parameter others: a stand-in that has ended, whose notifications this one knows.
    init(port: UInt16 = 0, after other: StandIn? = nil) throws {
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: port)]
        let state = Locked(State())
        if let other { state.withLock { $0.taken = other.taken } }
        self.state = state
        server = try TransportServer(configuration) { _ in Service(state) }
    }

    var port: UInt16 {
        if case .tcp(_, let port)? = server.addresses.first { port } else { 0 }
    }

    var url: String { "http://127.0.0.1:\(port)/notifications" }
    var taken: [Taken] { state.withLock { $0.taken } }
    var requestCount: Int { state.withLock { $0.requests } }

    func set(_ mood: Mood) { state.withLock { $0.mood = mood } }
    func stop() { server.stop() }

    private final class Service: HTTPService {
        private let state: Locked<State>
        private var held: [HTTPExchange] = []

        init(_ state: Locked<State>) {
            self.state = state
        }

        func handle(_ exchange: HTTPExchange) {
            exchange.receiveBody(max: 64 << 10) { [unowned self] exchange, body in self.take(exchange, body) }
        }

        private func take(_ exchange: HTTPExchange, _ bytes: [UInt8]) {
            let authorization = exchange.head.headers.first(named: "Authorization")
            guard let body = try? JSONReader(bytes), let key = body["idempotency_key"]?.string else {
                return exchange.respond(400, text: "no notification")
            }
            let mood = state.withLock { state in
                state.requests += 1
                switch state.mood {
                case .good, .takes, .takesSilently:
                    if !state.taken.contains(where: { $0.key == key }) {
                        state.taken.append(Taken(key: key, body: body, authorization: authorization))
                    }
                case .answers, .silent: break
                }
                return state.mood
            }
            let json = [("Content-Type", "application/json")]
            switch mood {
            case .good: exchange.respond(200, json, body: Array(#"{"id":"\#(key)"}"#.utf8))
            case .takes(let answer): exchange.respond(200, json, body: Array(answer.utf8))
            case .answers(let status, let headers, let answer):
                exchange.respond(status, json + headers, body: Array(answer.utf8))
            case .takesSilently, .silent: held.append(exchange)
            }
        }
    }
}
