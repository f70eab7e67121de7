import Transport
import Wire

@testable import Sessions

/// What a test can look into on one shard; used there alone.
final class ShardBook {
    let shard: Shard
    let log: EventLog
    /// The numbers that each session has received, by its id.
    var numbers: [String: [Int]] = [:]
    /// They end with the book.
    fileprivate var sources: [NumberSource] = []
    private var known: [String: Weak] = [:]
    private var made: SessionService?

    private struct Weak {
        weak var session: EngineSession?
    }

    private let nodes: (any FarNodes)?

    init(_ shard: Shard, _ log: EventLog, _ nodes: (any FarNodes)?) {
        self.shard = shard
        self.log = log
        self.nodes = nodes
    }

    var service: SessionService {
        guard let made else { preconditionFailure("the book is not open") }
        return made
    }

    func open(_ configuration: SessionConfiguration, _ makeHandler: @escaping SessionService.MakeHandler) {
        let service = SessionService(shard: shard, configuration: configuration, nodes: nodes) {
            [unowned self] session in
            known[session.id.description] = Weak(session: session)
            return makeHandler(session)
        }
        made = service
        shard.keep(service)
    }

    func session(_ sid: String) -> EngineSession? { known[sid]?.session }

    var living: [EngineSession] { known.values.compactMap(\.session) }

    var livingCount: Int { living.count }
}

/// What an application has beside Engine.IO: `/shard` answers with the number of the shard.
final class Elsewhere: HTTPService {
    private let index: Int

    init(_ index: Int) {
        self.index = index
    }

    func handle(_ exchange: HTTPExchange) {
        if exchange.head.path == "/shard" {
            exchange.respond(200, text: "\(index)")
        } else {
            exchange.respond(404, text: "not here")
        }
    }
}

/// What the tests of Engine.IO have on the server's side.
///
/// Sends messages back as they came, but keeps numbers (`#17`, as text or as binary) and obeys orders (`!close`).
final class EngineScript: EngineHandler {
    private unowned let book: ShardBook

    init(_ book: ShardBook) {
        self.book = book
    }

    func opened(_ session: EngineSession) {
        book.log.append("opened")
    }

    func received(_ message: Span<UInt8>, isBinary: Bool, on session: EngineSession) {
        let bytes = message.withUnsafeBufferPointer { Array($0) }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("#"), let number = Int(text.dropFirst()) {
            book.numbers[session.id.description, default: []].append(number)
        } else if text.hasPrefix("!") {
            obey(text.dropFirst().split(separator: " "), session)
        } else {
            session.send(bytes, isBinary: isBinary)
        }
    }

    private func obey(_ words: [Substring], _ session: EngineSession) {
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch (words.first, numbers.first, numbers.last) {
        case ("close", _, _): session.close()
        case ("send", let count?, let size?):
            for _ in 0..<count { session.send([UInt8](repeating: UInt8(ascii: "x"), count: size)) }
        case ("numbers", let count?, let seed?):
            let source = NumberSource(session, count: count, seed: UInt64(seed))
            book.sources.append(source)
            source.tick()
        default: book.log.append("message \(words.joined(separator: " "))")
        }
    }

    func closed(_ session: EngineSession, _ reason: DisconnectReason) {
        book.log.append("closed \(reason.rawValue)")
    }
}

/// Sends a session `#0`, `#1`, … in bursts with random pauses, every fifth as binary.
private final class NumberSource {
    private weak var session: EngineSession?
    private let count: Int
    private var next = 0
    private var random: SeededRandom
    private let timer = LoopTimer()

    init(_ session: EngineSession, count: Int, seed: UInt64) {
        self.session = session
        self.count = count
        random = SeededRandom(seed: seed)
    }

    func tick() {
        guard let session, next < count else { return }
        for _ in 0..<Int.random(in: 0...12, using: &random) where next < count {
            session.send(Array("#\(next)".utf8), isBinary: next % 5 == 4)
            next += 1
        }
        timer.fire = { [weak self] in self?.tick() }
        session.shard.arm(timer, in: Int.random(in: 0...2, using: &random))
    }
}
