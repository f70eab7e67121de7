import Foundation
import Testing
import Threads

@testable import Transport

@Suite("Limits")
struct LimitTests {
    let routes = Routes()

    private func serve(_ change: @escaping (inout TransportLimits) -> Void) throws -> TestServer {
        try TestServer({ change(&$0.limits) }, handler: routes.handler)
    }

    @Test func aSilentPeerIsCutOffBeforeItsFirstRequest() throws {
        let server = try serve { $0.handshakeMilliseconds = 150 }
        let client = try server.connect()
        #expect(client.isEnded())
        #expect(server.counters.closesByReason[.handshakeTimeout] == 1)
    }

    @Test func aHeadThatComesByteByByteIsCutOff() throws {
        let server = try serve { $0.handshakeMilliseconds = 200 }
        let client = try server.connect()
        try client.send("GET /hello HTTP/1.1\r\nA: ")
        // Each byte alone would be in time, and the head has no end.
        var sent = 0
        while sent < 6_000, (try? client.send("b")) != nil {
            sent += 1
            usleep(10_000)
        }
        #expect(sent < 6_000 && server.counters.closesByReason[.handshakeTimeout] == 1)
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        #expect(server.counters.requests.value == 0)
    }

    @Test func aLaterHeadThatTakesTooLongIsAnswered408() throws {
        let server = try serve { $0.headMilliseconds = 150 }
        let client = try server.connect()
        try client.send(get("/hello") + "GET /he")
        #expect(try client.readResponse().text == "hello")
        #expect(try client.readResponse().status == 408)
        #expect(client.isEnded())
    }

    @Test func aBodyThatTakesTooLongIsAnswered408() throws {
        let server = try serve { $0.bodyMilliseconds = 150 }
        let client = try server.connect()
        try client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
        #expect(try client.readResponse().status == 408)
        #expect(client.isEnded())
        #expect(becomesTrue { routes.aborts.withLock { $0.count } == 1 })
    }

    @Test func anIdleConnectionIsClosedAndOneInUseIsNot() throws {
        let server = try serve { $0.keepAliveMilliseconds = 3_000 }
        let client = try server.connect()
        for _ in 0..<5 {
            #expect(try client.get("/hello").text == "hello")
            usleep(800_000)
        }
        // A held answer is not idleness.
        try client.send(get("/hold"))
        usleep(3_500_000)
        routes.releaseAll(server)
        #expect(try client.readResponse().text == "held")
        #expect(client.isEnded())
        #expect(server.counters.closesByReason[.idleTimeout] == 1)
    }

    @Test func aPeerThatDoesNotTakeItsAnswerIsCutOff() throws {
        let server = try serve { $0.bodyMilliseconds = 200 }
        let client = try server.connect(receiveBuffer: 8_192)
        try client.send(get("/stream?50000000"))
        #expect(becomesTrue { server.counters.closesByReason[.slowReader] == 1 })
        #expect(becomesTrue { routes.aborts.withLock { $0 } == [.slowReader] })
        withExtendedLifetime(client) {}
    }

    /// They were kept for the keep-alive's time, whatever the client read.
    @Test func aWholeAnswerThatIsNotTakenIsCutOff() throws {
        let server = try serve {
            $0.bodyMilliseconds = 200
            $0.tailBytesMax = 32 << 20
        }
        let client = try server.connect(receiveBuffer: 8_192)
        try client.send(get("/bytes?20000000"))
        #expect(becomesTrue { server.counters.closesByReason[.slowReader] == 1 })
        #expect(server.counters.unreadBytes.value == 0)
        withExtendedLifetime(client) {}
    }

    @Test func anAnswerThatIsTakenSlowlyIsNotCutOff() throws {
        let server = try serve {
            $0.bodyMilliseconds = 3_000
            $0.keepAliveMilliseconds = 3_000
            $0.tailBytesMax = 32 << 20
        }
        let client = try server.connect(receiveBuffer: 8_192)
        try client.send(get("/bytes?20000000"))
        // Each piece earns back the time before it. All of them together take longer than the time for nothing.
        var count = 0
        for _ in 0..<10 {
            count += try client.read(2_000_000).count
            usleep(400_000)
        }
        #expect(count == 20_000_000)
        withExtendedLifetime(client) {}
    }

    /// Loopback is exempt from what is counted by address, not from this.
    @Test func answersThatNobodyReadsHaveABoundOfTheWholeServer() throws {
        let server = try serve {
            $0.tailBytesMax = 24 << 20
            $0.unreadBytesMax = 24 << 20
        }
        let slow = try server.connect(receiveBuffer: 8_192)
        try slow.send(get("/bytes?20000000"))
        #expect(becomesTrue { server.counters.unreadBytes.value > 12 << 20 })
        let other = try server.connect(receiveBuffer: 8_192)
        try other.send(get("/bytes?20000000"))
        #expect(becomesTrue { server.counters.closesByReason[.slowReader] == 1 })
        // A client that reads still gets its answer.
        #expect(try server.connect().get("/hello").text == "hello")
        #expect(try slow.readResponse().body.count == 20_000_000)
        #expect(becomesTrue { server.counters.unreadBytes.value == 0 })
        let third = try server.connect(receiveBuffer: 8_192)
        #expect(try third.get("/bytes?20000000").body.count == 20_000_000)
        #expect(server.counters.closesByReason[.slowReader] == 1)
    }

    @Test func connectionsBeyondTheBoundAreTold503() throws {
        let server = try serve { $0.connectionsMax = 3 }
        var kept = try (0..<3).map { _ in try server.connect() }
        for client in kept { #expect(try client.get("/hello").status == 200) }
        let begun = Clock.milliseconds()
        for _ in 0..<5 {
            let client = try server.connect()
            // The request may come after the answer: that must not turn it into a reset.
            usleep(20_000)
            try client.send(get("/hello"))
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] != nil)
            #expect(client.isEnded())
            #expect(!client.sawReset)
        }
        #expect(server.sawNotice(.connectionsExhausted))
        // One a second.
        let seconds = Int(Clock.milliseconds() - begun) / 1_000
        #expect(server.notices.withLock { (1...1 + seconds).contains($0.count) })
        #expect(server.counters.connectionsRefused.value == 5)
        #expect(server.counters.connectionsOpen.value == 3)
        kept.removeFirst()
        #expect(becomesTrue { server.counters.connectionsOpen.value == 2 })
        #expect(try server.connect().get("/hello").status == 200)
    }

    @Test func refusedPeersThatStayAreBoundedToo() throws {
        let server = try serve { $0.connectionsMax = 1 }
        let first = try server.connect()
        #expect(try first.get("/hello").status == 200)
        let refused = try (0..<(RefusedPeers.heldMax + 20)).map { _ in try server.connect() }
        #expect(becomesTrue { server.counters.connectionsRefused.value == refused.count })
        for client in refused { #expect(try client.readResponse().status == 503) }
        #expect(try first.get("/hello").status == 200)
    }
}

@Suite("Running out of descriptors", .serialized)
struct DescriptorLimitTests {
    /// The fixture beside the tests, under a limit of open files of its own.
    private func start(limit: Int) throws -> (Process, Pipe, UInt16) {
        let binary = Bundle.main.bundleURL.deletingLastPathComponent().appendingPathComponent("conformance-server")
        let candidates = [
            binary,
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("conformance-server"),
        ]
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw Client.Failure(description: "the conformance server is not built: \(candidates)")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "ulimit -n \(limit); exec \"$0\" --port 0", found.path]
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        let port = text.split(separator: ":").last.flatMap {
            UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        guard let port else { throw Client.Failure(description: "no port in \(text)") }
        return (process, errors, port)
    }

    @Test func theServerGoesOnAndSaysSo() throws {
        let (process, errors, port) = try start(limit: 60)
        defer {
            process.terminate()
            // It could not end if what it still has to say found no reader.
            _ = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
        }
        var clients: [Client] = []
        var refused = 0
        for _ in 0..<100 {
            let client = try Client(port: port)
            clients.append(client)
        }
        // Those that found no descriptor are told or closed, one after the other.
        for client in clients where (try? client.get("/socket.io/?EIO=4&transport=polling"))?.status != 200 {
            refused += 1
        }
        #expect(refused > 0)
        #expect(process.isRunning)
        let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        #expect(said.contains("descriptors_exhausted"))
        clients = []
        // Those that closed have made room.
        #expect(
            becomesTrue {
                (try? Client(port: port).get("/socket.io/?EIO=4&transport=polling"))?.status == 200
            })
    }
}
