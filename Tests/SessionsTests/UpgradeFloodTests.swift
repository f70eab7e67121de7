import Foundation
import Testing
import Threads
import Transport

@testable import Sessions

/// The upgrade while both sides send as fast as they like, with every pause drawn by a seed.
///
/// `ROOMS_TEST_SEED` repeats a run whose seed a failure has told.
@Suite struct UpgradeFloodTests {
    static let roundsPerSuite = 100
    static let count = 150

    @Test(arguments: [1, 3])
    func nothingIsLostDoubledOrReordered(_ shards: Int) throws {
        let given = ProcessInfo.processInfo.environment["ROOMS_TEST_SEED"].flatMap { UInt64($0) }
        let first = given ?? UInt64.random(in: 0..<1 << 40)
        let server = try TestServer(shards: shards) { $0.pollBytesMax = 300 }
        for seed in first..<(given == nil ? first + UInt64(Self.roundsPerSuite) : first + 1) {
            let flood = try UpgradeFlood(server, seed: seed, count: Self.count)
            let received = try flood.run()
            #expect(received == Array(0..<Self.count), "to the client, seed \(seed)")
            #expect(flood.heardByServer == Array(0..<Self.count), "to the server, seed \(seed)")
            try flood.end()
        }
        #expect(server.leavesNoTrace)
    }

    /// The test is worth something only if it sees a fault: one message that comes twice.
    @Test func theCheckSeesAFault() throws {
        let server = try TestServer()
        let flood = try UpgradeFlood(server, seed: 1, count: 20)
        _ = try flood.run()
        try server.onShard { $0.numbers[flood.sid, default: []].append(3) }
        #expect(flood.heardByServer != Array(0..<20))
        try flood.end()
    }
}

/// One session that polls, posts, and goes over to a WebSocket in the middle, as a browser's client does.
private final class UpgradeFlood: @unchecked Sendable {
    private let server: TestServer
    private let client: PollingClient
    private let count: Int
    private var random: SeededRandom
    private var nextNumber = 0
    private var socket: TestWebSocket?

    private let received = Locked<[Int]>([])
    private let failure = Locked<(any Error)?>(nil)
    private let isPaused = Locked(false)
    private let pollerIsDone = DispatchSemaphore(value: 0)

    init(_ server: TestServer, seed: UInt64, count: Int) throws {
        self.server = server
        self.count = count
        random = SeededRandom(seed: seed)
        client = try PollingClient(server)
        try client.post("4!numbers \(count) \(seed)")
    }

    var sid: String { client.sid }

    var heardByServer: [Int] {
        let (sid, count) = (sid, count)
        _ = eventually {
            (try? server.onShard(SessionID(sid)?.shard ?? 0) { $0.numbers[sid]?.count ?? 0 }) ?? 0 >= count
        }
        return (try? server.onShard(SessionID(sid)?.shard ?? 0) { $0.numbers[sid] ?? [] }) ?? []
    }

    /// Answers the numbers that the client has received, in their order.
    func run() throws -> [Int] {
        Thread.detachNewThread { self.poll() }
        pause()
        for _ in 0..<Int.random(in: 0...3, using: &random) { try post() }
        let socket = try client.openWebSocket()
        pause()
        try socket.send("2probe")
        for _ in 0..<Int.random(in: 0...3, using: &random) { try post() }
        guard try socket.nextText() == "3probe" else { throw TestFailure(description: "no answer to the probe") }
        for _ in 0..<Int.random(in: 0...2, using: &random) { try post() }
        isPaused.withLock { $0 = true }
        guard pollerIsDone.wait(timeout: .now() + 20) == .success else {
            throw TestFailure(description: "the poll was not released")
        }
        if let error = failure.withLock({ $0 }) { throw error }
        pause()
        try goOn(with: socket)
        return received.withLock { $0 }
    }

    func end() throws {
        try socket?.sendClose()
        _ = try socket?.readToClose()
    }

    private func poll() {
        do {
            while !isPaused.withLock({ $0 }) {
                for packet in try client.poll() { take(packet) }
            }
        } catch {
            failure.withLock { $0 = error }
        }
        pollerIsDone.signal()
    }

    private func take(_ packet: String) {
        if packet == "6" || packet == "2" { return }
        let text = packet.hasPrefix("b") ? Self.text(of: packet.dropFirst()) : String(packet.dropFirst())
        received.withLock { $0.append(Int(text.dropFirst()) ?? -1) }
    }

    private static func text(of base64: Substring) -> String {
        String(decoding: Data(base64Encoded: String(base64)) ?? Data(), as: UTF8.self)
    }

    private func post() throws {
        var packets: [String] = []
        for _ in 0..<Int.random(in: 1...10, using: &random) where nextNumber < count {
            let text = "#\(nextNumber)"
            packets.append(nextNumber % 7 == 6 ? "b" + PollingClient.base64(Array(text.utf8)) : "4" + text)
            nextNumber += 1
        }
        if !packets.isEmpty { try client.post(packets) }
        pause()
    }

    /// Sends the rest over the WebSocket, at times together with the upgrade itself, and reads the rest from it.
    private func goOn(with socket: TestWebSocket) throws {
        self.socket = socket
        var batch = ["5"]
        while nextNumber < count {
            if Int.random(in: 0..<4, using: &random) == 0 {
                try socket.send(together: batch)
                batch = []
                pause()
            }
            if nextNumber % 7 == 6 {
                try socket.send(together: batch)
                batch = []
                try socket.send(binary: Array("#\(nextNumber)".utf8))
            } else {
                batch.append("4#\(nextNumber)")
            }
            nextNumber += 1
        }
        try socket.send(together: batch)
        while received.withLock({ $0.count }) < count {
            switch try socket.next() {
            case .text(let text): take(text)
            case .binary(let bytes): take("4" + String(decoding: bytes, as: UTF8.self))
            case .pong: break
            case .close, .end: throw TestFailure(description: "closed with \(received.withLock { $0.count }) received")
            }
        }
        if socket.isReadable(within: 1) { throw TestFailure(description: "more came than was sent") }
    }

    private func pause() {
        if Bool.random(using: &random) { usleep(UInt32.random(in: 0...1_500, using: &random)) }
    }
}
