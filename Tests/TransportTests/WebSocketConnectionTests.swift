import Foundation
import TestSupport
import Testing
import Threads

@testable import Transport
@testable import Wire

@Suite("A WebSocket on a connection")
struct WebSocketConnectionTests {
    let routes = Routes()

    private func serve(_ change: (inout TransportConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer(change, handler: routes.handler)
    }

    private func open(_ server: TestServer, receiveBuffer: Int32? = nil) throws -> Client {
        let client = try server.connect(receiveBuffer: receiveBuffer)
        #expect(try client.upgrade().status == 101)
        return client
    }

    @Test func theUpgradeIsAnsweredAndMessagesComeBack() throws {
        let server = try serve()
        let client = try server.connect()
        let response = try client.upgrade()
        #expect(response.status == 101)
        #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(response.headers["connection"] == "Upgrade")
        #expect(response.headers["content-length"] == nil)
        for length in [0, 1, 125, 126, 65_535, 65_536, 300_000] {
            let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try client.send(Client.frame(.binary, payload))
            #expect(try client.readFrame() == Client.Frame(opcode: .binary, payload: payload))
        }
        #expect(server.counters.webSocketsOpen.value == 1)
    }

    /// So few that they are copied together, more than one system call takes, and more than the kernel takes.
    @Test(arguments: [(3, 20), (3, 0), (16, 5_000), (40, 100), (40, 1_000), (100, 15_000)], [false, true])
    func piecesArriveWholeAndInTheirOrder(pieces: (count: Int, length: Int), isSecure: Bool) throws {
        let certificate = try TestCertificate(serial: 1)
        let server = try TestServer(tls: isSecure ? certificate.files : nil, handler: routes.handler)
        let client = try server.connect(receiveBuffer: 4_096)
        if isSecure { #expect(client.startTLS()) }
        #expect(try client.upgrade().status == 101)
        try client.send(Client.text("pieces \(pieces.count) \(pieces.length)") + Client.text("behind"))
        let frame = try client.readFrame()
        let expected = (0..<pieces.count).flatMap { repeatElement(UInt8($0 & 255), count: pieces.length) }
        #expect(frame == Client.Frame(opcode: .binary, payload: expected))
        #expect(try client.readFrame().text == "behind")
    }

    @Test func theFirstSubprotocolThatIsOfferedIsTaken() throws {
        let server = try serve()
        for (offered, taken) in [(nil, nil), ("chat", "chat"), ("v2.rooms, chat", "v2.rooms")] as [(String?, String?)] {
            let client = try server.connect()
            try client.send(Client.upgradeRequest(protocols: offered))
            let response = try client.readResponse()
            #expect(response.status == 101 && response.headers["sec-websocket-protocol"] == taken)
        }
    }

    @Test func framesInTheSegmentOfTheRequestAreNotLostNorReordered() throws {
        let server = try serve()
        for target in ["/ws", "/ws-later"] {
            let client = try server.connect()
            let early = (0..<50).flatMap { Client.text("early \($0)") }
            try client.send(Array(get("/hello").utf8) + Array(Client.upgradeRequest(target).utf8) + early)
            for index in 50..<100 { try client.send(Client.text("early \(index)")) }
            #expect(try client.readResponse().text == "hello")
            #expect(try client.readResponse().status == 101)
            for index in 0..<100 { #expect(try client.readFrame().text == "early \(index)") }
        }
    }

    @Test func framesMayBeSplitAnywhere() throws {
        let server = try serve()
        let client = try server.connect()
        for byte in Array(Client.upgradeRequest().utf8) + Client.text("a") + Client.text("bc") {
            try client.send([byte])
        }
        #expect(try client.readResponse().status == 101)
        #expect(try client.readFrame().text == "a")
        #expect(try client.readFrame().text == "bc")
    }

    @Test func aPingIsAnsweredWithItsPayloadAlsoWithinAMessage() throws {
        let server = try serve()
        let client = try open(server)
        try client.send(
            Client.frame(.text, Array("one ".utf8), fin: false) + Client.frame(.ping, [1, 2, 3])
                + Client.frame(.continuation, Array("two".utf8)))
        #expect(try client.readFrame() == Client.Frame(opcode: .pong, payload: [1, 2, 3]))
        #expect(try client.readFrame().text == "one two")
        try client.send(Client.frame(.pong, [9]) + Client.text("x"))
        #expect(try client.readFrame().text == "x")
    }

    @Test func pingsOfOneSegmentAreAllAnsweredInTheirOrder() throws {
        let server = try serve()
        let client = try open(server)
        try client.send((1...10).flatMap { Client.frame(.ping, [$0]) })
        for number in 1...10 as ClosedRange<UInt8> {
            #expect(try client.readFrame() == Client.Frame(opcode: .pong, payload: [number]))
        }
    }

    @Test func whatPrecedesAFaultIsAnsweredBeforeTheFarewell() throws {
        let server = try serve()
        let client = try open(server)
        var fault = Client.text("wrong")
        fault[0] |= 0x40
        try client.send(Client.text("right") + fault)
        #expect(try client.readFrame().text == "right")
        #expect(try client.readFrame().closeCode == 1002)
    }

    @Test(arguments: [1000, 1001, 4000, nil] as [UInt16?])
    func aCloseIsAnsweredWithItsCode(code: UInt16?) throws {
        let server = try serve()
        let client = try open(server)
        try client.send(Client.close(code, "bye") + Client.text("nobody reads this"))
        let answer = try client.readFrame()
        #expect(answer.opcode == .close)
        #expect(answer.closeCode == code ?? 1000)
        #expect(client.isEnded())
        #expect(becomesTrue { routes.closes.withLock { $0.first?.code == code ?? 1005 } })
        #expect(routes.closes.withLock { $0.first?.reason == .peerClosed })
        #expect(server.counters.webSocketsOpen.value == 0)
    }

    @Test func aCloseOfOursWaitsForThePeers() throws {
        let server = try serve()
        let client = try open(server)
        try client.send(Client.text("close 4001"))
        let close = try client.readFrame()
        #expect(close.closeCode == 4001)
        #expect(String(decoding: close.payload.dropFirst(2), as: UTF8.self) == "asked for")
        // A ping that comes after our close is not answered: nothing may follow it.
        try client.send(Client.frame(.ping, [1]))
        server.onShard { _ in }
        #expect(routes.closes.withLock { $0.isEmpty })
        try client.send(Client.close(4001))
        #expect(client.isEnded())
        #expect(routes.closes.withLock { $0.map(\.reason) } == [.finished])
        #expect(routes.closes.withLock { $0.map(\.code) } == [4001])
    }

    @Test func aPeerThatDoesNotAnswerACloseIsCutOff() throws {
        let server = try serve { $0.limits.lingerMilliseconds = 100 }
        let client = try open(server)
        try client.send(Client.text("close 1000"))
        #expect(try client.readFrame().closeCode == 1000)
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        #expect(client.isEnded())
    }

    // The timer for the peer's answer was armed after the connection had ended, and fired when it was no more.
    @Test func aPeerThatTurnsOutToBeGoneWhenItIsClosedLeavesNoTimer() throws {
        let server = try serve()
        for _ in 0..<5 {
            let client = try open(server)
            try client.send(Client.text("close-late"))
            usleep(20_000)
            client.reset()
        }
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        server.onShard { #expect($0.armedTimerCount == 0) }
        #expect(routes.socketCount == 0)
    }

    // The close frame went out at once, before what had been gathered.
    @Test func whatWasWrittenBeforeACloseGoesOutBeforeIt() throws {
        let server = try serve()
        let client = try open(server)
        try client.send(Client.text("say-and-close"))
        #expect(try client.readFrame().text == "goodbye")
        #expect(try client.readFrame().closeCode == 1000)
    }

    @Test func aPeerThatGoesWithoutACloseIsReportedAs1006() throws {
        let server = try serve()
        try open(server).shutdownSending()
        #expect(becomesTrue { routes.closes.withLock { $0.first?.code == 1006 } })
        try open(server).reset()
        #expect(becomesTrue { routes.closes.withLock { $0.count == 2 } })
        #expect(becomesTrue { server.counters.webSocketsOpen.value == 0 && server.counters.connectionsOpen.value == 0 })
        #expect(routes.socketCount == 0)
    }

    static let faults: [(UInt16, [UInt8])] = [
        (1002, [0x81, 0x01, 0x41]),
        (1002, Client.frame(.continuation, [65])),
        (1002, [0xC1, 0x81, 0, 0, 0, 0, 65]),
        (1002, [0x83, 0x80, 0, 0, 0, 0]),
        (1002, Client.frame(.ping, [1], fin: false)),
        (1002, Client.frame(.text, [65], fin: false) + Client.frame(.text, [65])),
        (1002, Client.close(1005)),
        (1007, Client.frame(.text, [0xC3, 0x28])),
        (1007, Client.frame(.text, [0xF0], fin: false) + Client.frame(.continuation, [0x28])),
        (1009, [0x82, 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 0, 0, 0, 0]),
        (1009, Client.frame(.binary, [UInt8](repeating: 1, count: 1_100))),
        (
            1009,
            Client.frame(.binary, [UInt8](repeating: 1, count: 900), fin: false)
                + Client.frame(.continuation, [UInt8](repeating: 1, count: 900))
        ),
    ]

    @Test(arguments: faults)
    func aFaultIsAnsweredWithItsCodeAndTheEnd(code: UInt16, bytes: [UInt8]) throws {
        let server = try serve {
            $0.limits.webSocket = WebSocketLimits(frameBytesMax: 1_000, messageBytesMax: 1_500)
        }
        let client = try open(server)
        try client.send(Client.text("before") + bytes + Client.text("after"))
        #expect(try client.readFrame().text == "before")
        #expect(try client.readFrame().closeCode == code)
        _ = try client.readToEnd()
        #expect(becomesTrue { routes.closes.withLock { $0.first?.reason == .protocolError } })
        #expect(server.counters.webSocketsOpen.value == 0)
    }

    @Test func whatIsCompressedIsReadAndLargeAnswersAreCompressed() throws {
        let server = try serve()
        let client = try server.connect()
        let response = try client.upgrade(extensions: "permessage-deflate; client_max_window_bits")
        #expect(response.headers["sec-websocket-extensions"]?.hasPrefix("permessage-deflate") == true)
        let context = DeflateContext()
        let text = String(repeating: "a text that repeats itself; ", count: 2_000)
        for text in [text, "small", "", text] {
            var compressed: [UInt8] = []
            context.compress(Array(text.utf8).span, into: &compressed)
            try client.send(Client.frame(.text, compressed, compressed: true))
            let answer = try client.readFrame()
            #expect(answer.isCompressed == (text.utf8.count >= 1_024))
            guard answer.isCompressed else {
                #expect(answer.text == text)
                continue
            }
            #expect(answer.payload.count < text.utf8.count / 10)
            var decoder = WebSocketDecoder(
                role: .client, limits: WebSocketLimits(), deflate: PerMessageDeflate(), context: context)
            var frame: [UInt8] = []
            WebSocketFrame.append(.text, answer.payload.span, compressed: true, into: &frame)
            var offset = 0
            var span = frame.mutableSpan
            #expect(try decoder.next(&span, offset: &offset) == .text(.assembled))
            #expect(decoder.assembled == Array(text.utf8))
        }
    }

    @Test func aFloodOfOneTurnArrivesWholeInOrderAndInOnePiece() throws {
        let server = try serve()
        let client = try open(server)
        let before = client.segmentsReceived
        try client.send(Client.text("flood 1000"))
        for index in 0..<1_000 { #expect(try client.readFrame().text == "message \(index)") }
        // A segment of loopback holds 64 KB, so this is the number of system calls that wrote it.
        #expect(client.segmentsReceived - before == 1)
    }

    @Test func messagesMayBeWrittenOutBeforeTheTurnEnds() throws {
        let server = try serve()
        let client = try open(server)
        try client.send(Client.text("now"))
        #expect(try client.readFrame().text == "now")
    }

    @Test func aBlockedWriterIsToldSoAndGoesOnWhenThePeerReads() throws {
        let server = try serve()
        let client = try open(server, receiveBuffer: 8_192)
        let message = [UInt8](repeating: 5, count: 100_000)
        routes.withSockets(of: server) { socket in
            for _ in 0..<200 { socket.waiting.append((message, true)) }
            socket.webSocket?.wantFlush()
        }
        // The writer stops by itself; the kernel holds some, we hold a piece, the rest is still the owner's.
        usleep(200_000)
        routes.withSockets(of: server) { socket in
            #expect(socket.results.last == .blocked)
            #expect(socket.waiting.count > 100)
            #expect((socket.webSocket?.connection.tailBytes ?? 0) <= Shard.outputBytes + 100_014)
            #expect(socket.webSocket?.isBlocked == true)
        }
        #expect(server.cpuShare(over: 0.2) < 0.2)
        for _ in 0..<200 { #expect(try client.readFrame().payload == message) }
        routes.withSockets(of: server) { socket in
            #expect(socket.waiting.isEmpty)
            #expect(socket.webSocket?.isBlocked == false)
        }
    }

    @Test func whoeverWritesOnAllTheSameLosesThePeerNotTheMemory() throws {
        let server = try serve { $0.limits.tailBytesMax = 1 << 20 }
        let client = try open(server, receiveBuffer: 8_192)
        routes.withSockets(of: server) { socket in
            socket.onFlush = { [unowned socket] in
                let message = [UInt8](repeating: 5, count: 50_000)
                var result: SendResult? = .sent
                for _ in 0..<1_000 where result != .closed {
                    result = message.withUnsafeBytes { socket.webSocket?.write($0) } ?? .closed
                }
                socket.onFlush = nil
            }
            socket.webSocket?.wantFlush()
        }
        #expect(becomesTrue { routes.closes.withLock { $0.first?.reason == .slowReader } })
        #expect(server.counters.connectionsOpen.value == 0)
        _ = try client.readToEnd()
    }

    @Test func earlyFramesOfAPeerThatDoesNotReadAreBounded() throws {
        let server = try serve()
        let client = try server.connect(receiveBuffer: 8_192)
        try client.send(get("/bytes?3900000") + Client.upgradeRequest())
        let frames = (0..<300).flatMap { _ in Client.frame(.binary, [UInt8](repeating: 1, count: 10_000)) }
        let sent = Mark<Bool>()
        Thread.detachNewThread { sent.set((try? client.send(frames)) != nil) }
        #expect(server.cpuShare(over: 0.2) < 0.2)
        #expect(try client.readResponse().body.count == 3_900_000)
        #expect(try client.readResponse().status == 101)
        for _ in 0..<300 { #expect(try client.readFrame().payload.count == 10_000) }
        #expect(sent.wait() == true)
    }

    // Work that a flush put off to the end of the turn was once left for the next turn, which never came.
    @Test func whatIsPutOffInAFlushIsDoneInTheSameTurn() throws {
        let server = try serve()
        let client = try open(server)
        routes.withSockets(of: server) { socket in
            socket.onFlush = { [unowned socket] in
                socket.onFlush = nil
                socket.shard.atTurnEnd {
                    socket.queue("put off")
                    socket.webSocket?.wantFlush()
                }
            }
            socket.webSocket?.wantFlush()
        }
        #expect(try client.readFrame().text == "put off")
    }

    // All connections of a shard gather their writes in one buffer.
    @Test func writesToAnotherInTheMiddleOfAFlushReachTheRightPeers() throws {
        let server = try serve()
        let clients = try (0..<2).map { _ in try open(server) }
        for (index, client) in clients.enumerated() {
            try client.send(Client.text("\(index)"))
            #expect(try client.readFrame().text == "\(index)")
        }
        let all = Kept<[EchoSocket]>([])
        routes.withSockets(of: server) { all.value.append($0) }
        server.onShard { _ in
            let (one, two) = (all.value[0], all.value[1])
            one.onFlush = {
                one.write("to one")
                two.queue("to two")
                two.webSocket?.flushNow()
                one.write("to one again")
                two.webSocket?.close(code: 1000)
                one.onFlush = nil
            }
            one.webSocket?.wantFlush()
        }
        var texts: [[String]] = []
        for client in clients {
            let first = try client.readFrame()
            let second = try client.readFrame()
            texts.append([first.text, second.opcode == .close ? "close" : second.text])
        }
        #expect(texts.sorted { $0[0] < $1[0] } == [["to one", "to one again"], ["to two", "close"]])
    }

    // Events of one batch named connections that the first of them had freed.
    @Test func endingOthersThatHaveEventsInTheSameTurnIsSafe() throws {
        let server = try serve()
        for _ in 0..<10 {
            let clients = try (0..<20).map { _ in try open(server) }
            let begun = Mark<Bool>()
            let goOn = DispatchSemaphore(value: 0)
            server.server.mailboxes[0].post { _ in
                begun.set(true)
                goOn.wait()
            }
            #expect(begun.wait() == true)
            for client in clients { try client.send(Client.text("end-all")) }
            goOn.signal()
            for client in clients { #expect(client.isEnded()) }
        }
        #expect(server.counters.connectionsOpen.value == 0)
        #expect(routes.socketCount == 0)
    }
}
