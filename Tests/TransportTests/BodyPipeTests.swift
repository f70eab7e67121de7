import Foundation
import Testing
import Threads

@testable import Transport

@Suite("Bodies taken on other threads")
struct BodyPipeTests {
    /// Takes what comes, as slowly as the test wants.
    final class Taker: BodyConsumer {
        struct Refusal: Error {}

        let bytes = Locked<[UInt8]>([])
        let calls = Counter()
        let finished = Counter()
        let gate = Locked(true)
        let failsAfter: Int
        let ended: Mark<Bool>

        init(failsAfter: Int = .max, ended: Mark<Bool> = Mark()) {
            self.failsAfter = failsAfter
            self.ended = ended
        }

        deinit {
            ended.set(true)
        }

        func take(_ piece: [UInt8]) throws {
            calls.add()
            while !gate.withLock({ $0 }) { usleep(1_000) }
            bytes.withLock { $0 += piece }
            if bytes.withLock({ $0.count }) > failsAfter { throw Refusal() }
        }

        func finish() throws {
            finished.add()
        }
    }

    final class Stage: Sendable {
        let threads: WorkerThreads
        let server: TestServer
        let aborts = Locked<[CloseReason]>([])

        init(
            max: Int = 64 << 20, tls: TLSFiles? = nil, limits: (inout TransportLimits) -> Void = { _ in },
            _ taker: @escaping @Sendable () -> Taker
        ) throws {
            threads = try WorkerThreads(count: 2)
            server = try TestServer(tls: tls) {
                limits(&$0.limits)
            } handler: { [threads, aborts] exchange, _ in
                exchange.aborted = { reason in aborts.withLock { $0.append(reason) } }
                let taker = taker()
                exchange.streamBody(max: max, to: taker, on: threads) { exchange, failure in
                    let count = taker.bytes.withLock { $0.count }
                    if let failure { return exchange.respond(422, text: "\(failure)") }
                    exchange.respond(200, text: "\(count) \(taker.finished.value)")
                }
            }
        }

        deinit {
            server.server.stop()
            threads.stop()
        }
    }

    /// No two places in it that are near are alike. Made and compared in blocks: byte by byte takes minutes under a
    /// sanitizer.
    static func body(_ count: Int) -> [UInt8] {
        let block = (0..<min(count, 10_007)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
        var body: [UInt8] = []
        body.reserveCapacity(count + block.count)
        while body.count < count { body += block }
        body.removeLast(body.count - count)
        return body
    }

    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && memcmp(one, other, one.count) == 0
    }

    static func head(_ length: Int) -> String {
        "POST /up HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n"
    }

    @Test(arguments: [0, 1, 1_000, 300_000, 5_000_000])
    func theBodyArrivesWholeAndInOrder(count: Int) throws {
        let taker = Taker()
        let stage = try Stage { taker }
        let client = try stage.server.connect()
        let body = Self.body(count)
        try client.send(Array(Self.head(count).utf8) + body)
        #expect(try client.readResponse().text == "\(count) 1")
        #expect(Self.isSame(taker.bytes.withLock { $0 }, body))
        // The connection goes on.
        try client.send(Array(Self.head(3).utf8) + [1, 2, 3])
        #expect(try client.readResponse().status == 200)
    }

    @Test func chunksArriveWithoutTheirFrames() throws {
        let taker = Taker()
        let stage = try Stage { taker }
        let client = try stage.server.connect()
        try client.send("POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<100 { try client.send("a\r\n0123456789\r\n") }
        try client.send("0\r\n\r\n")
        #expect(try client.readResponse().text == "1000 1")
        let text = String(decoding: taker.bytes.withLock { $0 }, as: UTF8.self)
        #expect(text == String(repeating: "0123456789", count: 100))
    }

    @Test func overTLSTheBodyArrivesWholeToo() throws {
        let certificate = try TestCertificate()
        let taker = Taker()
        let stage = try Stage(tls: certificate.files) { taker }
        let client = try stage.server.connect()
        #expect(client.startTLS())
        let body = Self.body(2_000_000)
        taker.gate.withLock { $0 = false }
        let request = Array(Self.head(body.count).utf8) + body
        let sender = Thread { try? client.send(request) }
        sender.start()
        usleep(200_000)
        taker.gate.withLock { $0 = true }
        while !sender.isFinished { usleep(5_000) }
        #expect(try client.readResponse().text == "\(body.count) 1")
        #expect(Self.isSame(taker.bytes.withLock { $0 }, body))
    }

    @Test func nothingIsReadWhileTheConsumerIsBehind() throws {
        let taker = Taker()
        taker.gate.withLock { $0 = false }
        let stage = try Stage { taker }
        let client = try stage.server.connect()
        let body = Self.body(40_000_000)
        let sent = Counter()
        let sender = Thread {
            try? client.send(Self.head(body.count))
            var start = 0
            while start < body.count {
                let piece = Array(body[start..<min(start + 100_000, body.count)])
                guard (try? client.send(piece)) != nil else { return }
                start += piece.count
                sent.set(start)
            }
        }
        sender.start()
        #expect(becomesTrue { taker.calls.value == 1 })
        usleep(500_000)
        // What the two kernels' buffers hold, and a little here.
        #expect(sent.value < 20_000_000)
        #expect(taker.calls.value == 1)
        taker.gate.withLock { $0 = true }
        #expect(try client.readResponse().text == "40000000 1")
        #expect(Self.isSame(taker.bytes.withLock { $0 }, body))
    }

    @Test func aConsumerThatRefusesEndsTheUpload() throws {
        let stage = try Stage { Taker(failsAfter: 100_000) }
        let client = try stage.server.connect()
        let body = Self.body(10_000_000)
        try client.send(Self.head(body.count))
        let sender = Thread { try? client.send(body) }
        sender.start()
        let response = try client.readResponse()
        #expect(response.status == 422)
        #expect(response.headers["connection"] == "close")
        while !sender.isFinished { usleep(5_000) }
    }

    @Test func aClientThatVanishesLeavesNothingBehind() throws {
        let ended = Mark<Bool>()
        let stage = try Stage { Taker(ended: ended) }
        let client = try stage.server.connect()
        try client.send(Array(Self.head(1_000_000).utf8) + Self.body(500_000))
        usleep(50_000)
        client.reset()
        #expect(ended.wait() == true)
        #expect(becomesTrue { stage.aborts.withLock { $0.count } == 1 })
        #expect(becomesTrue { stage.server.counters.connectionsOpen.value == 0 })
    }

    @Test func tooLongABodyIsRefusedBeforeItIsRead() throws {
        let taker = Taker()
        let stage = try Stage(max: 1_000) { taker }
        let client = try stage.server.connect()
        try client.send("POST /up HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        #expect(taker.calls.value == 0)
    }

    @Test func chunksBeyondTheBoundAreRefused() throws {
        let taker = Taker()
        let stage = try Stage(max: 1_000) { taker }
        let client = try stage.server.connect()
        try client.send("POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send("3e8\r\n" + String(repeating: "a", count: 1_000) + "\r\n1\r\na\r\n0\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        #expect(taker.finished.value == 0)
    }

    @Test func aClientThatAsksIsToldToGoOn() throws {
        let stage = try Stage { Taker() }
        let client = try stage.server.connect()
        try client.send("POST /up HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(try client.readLine() == "HTTP/1.1 100 Continue")
        #expect(try client.readLine().isEmpty)
        try client.send("abc")
        #expect(try client.readResponse().text == "3 1")
    }

    @Test func aBodyThatTricklesIsCutOff() throws {
        let stage = try Stage(limits: { $0.bodyMilliseconds = 200 }) { Taker() }
        let client = try stage.server.connect()
        try client.send(Self.head(1_000))
        var sent = 0
        while sent < 1_000, (try? client.send([1])) != nil {
            sent += 1
            usleep(10_000)
        }
        #expect(sent < 1_000)
        #expect(becomesTrue { stage.aborts.withLock { $0.count } == 1 })
    }

    @Test func aBodyThatComesSteadilyMayTakeLonger() throws {
        let stage = try Stage(limits: {
            $0.bodyMilliseconds = 3_000
            $0.bodyBytesPerMillisecondMin = 1
        }) { Taker() }
        let client = try stage.server.connect()
        try client.send(Self.head(40_000))
        for _ in 0..<20 {
            try client.send(Self.body(2_000))
            usleep(200_000)
        }
        #expect(try client.readResponse().text == "40000 1")
    }

    @Test func timeThatTheConsumerTakesIsNotTheClients() throws {
        let taker = Taker()
        taker.gate.withLock { $0 = false }
        let stage = try Stage(limits: {
            $0.bodyMilliseconds = 3_000
            $0.bodyBytesPerMillisecondMin = 1_000_000
        }) { taker }
        let client = try stage.server.connect()
        let request = Array(Self.head(1_000_000).utf8) + Self.body(1_000_000)
        let sender = Thread { try? client.send(request) }
        sender.start()
        usleep(4_000_000)
        taker.gate.withLock { $0 = true }
        #expect(try client.readResponse().text == "1000000 1")
    }
}

@Suite("Worker threads")
struct WorkerThreadsTests {
    @Test func everyJobRunsOnceBeforeTheThreadsStop() throws {
        let threads = try WorkerThreads(count: 3)
        let runs = Counter()
        for _ in 0..<2_000 { threads.submit { runs.add() } }
        threads.stop()
        #expect(runs.value == 2_000)
        #expect(!threads.submit { runs.add() })
    }

    @Test func threadsThatDoNotStartAreAnErrorAndThoseThatHaveStartedEnd() {
        let ended = Counter()
        var started = 0
        #expect(throws: TransportError.self) {
            try WorkerThreads(count: 3, jobsMax: 1) { body in
                started += 1
                guard started < 3 else { return nil }
                return SystemThread {
                    body()
                    ended.add()
                }
            }
        }
        #expect(ended.value == 2)
    }

    @Test func jobsBeyondTheBoundAreRefused() throws {
        let threads = try WorkerThreads(count: 1, jobsMax: 2)
        let gate = Mark<Bool>()
        let begun = Mark<Bool>()
        threads.submit {
            begun.set(true)
            _ = gate.wait()
        }
        #expect(begun.wait() == true)
        #expect(threads.submit {})
        #expect(threads.submit {})
        #expect(!threads.submit {})
        gate.set(true)
        threads.stop()
    }

    @Test func whatAJobHoldsGoesWithItAndNotWithThoseBehindIt() throws {
        let threads = try WorkerThreads(count: 1)
        let (gate, second) = (Mark<Bool>(), Mark<Bool>())
        let isHeld = Locked(true)
        func job() {
            let held = Held { isHeld.withLock { $0 = false } }
            threads.submit { withExtendedLifetime(held) {} }
        }
        job()
        threads.submit {
            second.set(true)
            _ = gate.wait()
        }
        threads.submit {}
        #expect(second.wait() == true)
        #expect(!isHeld.withLock { $0 })
        gate.set(true)
        threads.stop()
    }

    @Test func oneThreadKeepsTheOrder() throws {
        let threads = try WorkerThreads(count: 1, jobsMax: 5_000)
        let order = Locked<[Int]>([])
        for number in 0..<3_000 { threads.submit { order.withLock { $0.append(number) } } }
        threads.stop()
        #expect(order.withLock { $0 } == Array(0..<3_000))
    }
}

/// Says when it goes.
private final class Held: Sendable {
    private let gone: @Sendable () -> Void

    init(_ gone: @escaping @Sendable () -> Void) {
        self.gone = gone
    }

    deinit { gone() }
}
