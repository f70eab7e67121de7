import Foundation
import Testing
import Threads
import Wire

@testable import Transport

@Suite("HTTP on a connection")
struct HTTPConnectionTests {
    let routes = Routes()

    private func serve(_ change: (inout TransportConfiguration) -> Void = { _ in }) throws -> TestServer {
        try TestServer(change, handler: routes.handler)
    }

    @Test func aConnectionServesOneRequestAfterTheOther() throws {
        let server = try serve()
        let client = try server.connect()
        for _ in 0..<3 {
            let response = try client.get("/hello")
            #expect(response.status == 200)
            #expect(response.text == "hello")
            #expect(response.headers["connection"] == nil)
        }
        #expect(server.counters.connectionsAccepted.value == 1)
        #expect(server.counters.requests.value == 3)
    }

    @Test func http10AndConnectionCloseEndAfterTheAnswer() throws {
        let server = try serve()
        for request in ["GET /hello HTTP/1.0\r\n\r\n", get("/hello", headers: "Connection: close\r\n")] {
            let client = try server.connect()
            try client.send(request)
            let response = try client.readResponse()
            #expect(response.text == "hello")
            #expect(response.headers["connection"] == "close")
            #expect(client.isEnded())
            #expect(!client.sawReset)
        }
    }

    // libwebsockets' own HTTP role hangs its thread for good on this.
    @Test func pipelinedRequestsWithBodiesInOneSegmentAreAnsweredInOrder() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(get("/hello") + post("/echo", "one") + post("/echo", "two") + get("/hello"))
        #expect(try client.readResponse().text == "hello")
        #expect(try client.readResponse().text == "one")
        #expect(try client.readResponse().text == "two")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func pipelinedRequestsMayBeSplitAnywhere() throws {
        let server = try serve()
        let text = post("/echo", "one") + get("/later") + post("/echo", "two")
        for split in stride(from: 1, to: text.utf8.count, by: 3) {
            let client = try server.connect()
            try client.send(Array(text.utf8.prefix(split)))
            // The two parts come in turns of their own.
            server.onShard { _ in }
            try client.send(Array(text.utf8.dropFirst(split)))
            #expect(try client.readResponse().text == "one")
            #expect(try client.readResponse().text == "later")
            #expect(try client.readResponse().text == "two")
        }
    }

    // libwebsockets' own HTTP role uses a whole core from the first further byte on.
    @Test(arguments: ["G", post("/echo", "two") + post("/echo", "three") + get("/hello")])
    func bytesBehindAHeldRequestWaitAndCostNothing(behind: String) throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(get("/hold") + behind)
        #expect(becomesTrue { routes.heldCount == 1 })
        try client.send(behind == "G" ? "ET /hello HTTP/1.1\r\nHost: h\r\n\r\n" : post("/echo", "four"))
        #expect(server.cpuShare(over: 0.3) < 0.2)
        routes.releaseAll(server)
        #expect(try client.readResponse().text == "held")
        let expected = behind == "G" ? ["hello"] : ["two", "three", "hello", "four"]
        for text in expected { #expect(try client.readResponse().text == text) }
    }

    @Test func moreThanIsKeptBehindAHeldRequestStaysInTheKernel() throws {
        let server = try serve { $0.limits.pipelineBytesMax = 10_000 }
        let client = try server.connect()
        let body = String(repeating: "x", count: 900_000)
        try client.send(get("/hold"))
        #expect(becomesTrue { routes.heldCount == 1 })
        let sent = Mark<Bool>()
        Thread.detachNewThread {
            sent.set((try? client.send(post("/echo", body) + get("/hello"))) != nil)
        }
        #expect(server.cpuShare(over: 0.3) < 0.2)
        routes.releaseAll(server)
        #expect(try client.readResponse().text == "held")
        #expect(try client.readResponse().text == body)
        #expect(try client.readResponse().text == "hello")
        #expect(sent.wait() == true)
    }

    @Test func aPeerThatClosesWhileItsAnswerIsHeldIsNoticedOnceAndCostsNothing() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(get("/hold"))
        #expect(becomesTrue { routes.heldCount == 1 })
        client.shutdownSending()
        #expect(becomesTrue { routes.aborts.withLock { $0 == [.peerClosed] } })
        #expect(server.cpuShare(over: 0.2) < 0.2)
        #expect(client.isEnded())
        routes.releaseAll(server)
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func anAnswerUnderWayIsFinishedForAPeerThatHasClosedItsSendingSide() throws {
        let server = try serve()
        for target in ["/stream?8000000", "/bytes?3000000"] {
            let client = try server.connect(receiveBuffer: 8_192)
            try client.send(get(target) + get("/hello"))
            client.shutdownSending()
            usleep(100_000)
            #expect(server.cpuShare(over: 0.1) < 0.3)
            let length = Int(target.split(separator: "?")[1]) ?? 0
            #expect(try client.readResponse().body.count == length)
            #expect(try client.readResponse().text == "hello")
            #expect(client.isEnded())
        }
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        #expect(routes.aborts.withLock { $0.isEmpty })
    }

    // An error of the socket makes libwebsockets close it behind the connection's back.
    @Test func aResetEndsTheConnectionWhereverItIs() throws {
        let server = try serve()
        let requests = ["", "GET /", get("/hold"), get("/stream?50000000"), post("/echo", "x").dropLast() + ""]
        for (index, request) in requests.enumerated() {
            let client = try server.connect(receiveBuffer: 8_192)
            try client.send(request)
            #expect(becomesTrue { server.counters.connectionsAccepted.value == index + 1 })
            server.onShard { _ in }
            usleep(20_000)
            client.reset()
            #expect(becomesTrue { server.counters.connectionsOpen.value == 0 }, "after \(request)")
        }
        #expect(server.onShard { $0.connectionCount } == 0)
        #expect(try server.connect().get("/hello").text == "hello")
    }

    @Test func chunkedBodiesAreRead() throws {
        let server = try serve()
        let client = try server.connect()
        let head = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let text = head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
        try client.send(text + text)
        #expect(try client.readResponse().text == "abc0123456789")
        #expect(try client.readResponse().text == "abc0123456789")
        for byte in text.utf8 { try client.send([byte]) }
        #expect(try client.readResponse().text == "abc0123456789")
    }

    @Test func aClientThatWaitsForContinueIsToldOnceTheBodyIsWanted() throws {
        let server = try serve()
        let client = try server.connect()
        let head = "Host: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        try client.send("POST /echo HTTP/1.1\r\n" + head)
        #expect(try client.readLine() == "HTTP/1.1 100 Continue")
        #expect(try client.readLine() == "")
        try client.send("abc")
        #expect(try client.readResponse().text == "abc")
        // Where the body is not wanted, it is never asked for.
        try client.send("POST /early HTTP/1.1\r\n" + head)
        #expect(try client.readResponse().status == 403)
        #expect(client.isEnded())
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA : b\r\n\r\n",
        "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        "\u{16}\u{3}\u{1}",
    ])
    func whatAProxyMayReadInAnotherWayIsRefusedAndNothingBehindItIsServed(request: String) throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(request + get("/hold"))
        #expect(try client.readResponse().status == 400)
        #expect(client.isEnded())
        #expect(routes.heldCount == 0)
    }

    @Test func whatIsTooLargeOrUnknownIsToldSo() throws {
        let server = try serve { $0.limits.http = .init(headBytesMax: 2_000, targetBytesMax: 500) }
        let large = String(repeating: "x", count: 3_000)
        let chunked = "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n"
        let requests: [(Int, String)] = [
            (431, get("/", headers: "A: \(large)\r\n")), (414, get("/" + large)),
            (413, "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n"), (413, chunked),
            (501, "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n"),
        ]
        for (status, request) in requests {
            let client = try server.connect()
            try client.send(request)
            #expect(try client.readResponse().status == status)
            #expect(client.isEnded())
        }
    }

    @Test func aHeadRequestIsToldTheLengthAndGetsNoBody() throws {
        let server = try serve()
        let client = try server.connect()
        for target in ["/hello", "/stream?5"] {
            try client.send("HEAD \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readResponse(isHead: true).headers["content-length"] == "5")
        }
        #expect(try client.get("/hello").text == "hello")
    }

    // A body that does not exist was never reported as complete, so the request was never answered.
    @Test func theBodyOfARequestWithoutOneIsEmpty() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(try client.get("/echo").body.isEmpty)
        try client.send(post("/echo", "") + "POST /count HTTP/1.1\r\nHost: h\r\n\r\n" + get("/hello"))
        #expect(try client.readResponse().body.isEmpty)
        #expect(try client.readResponse().text == "0")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func anEmptyBodyThatNobodyAskedForDoesNotEndTheConnection() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(post("/hello", "") + get("/hello"))
        #expect(try client.readResponse().text == "hello")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func onlyTheFirstAnswerCounts() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(try client.get("/twice").text == "first")
        #expect(try client.get("/hello").text == "hello")
    }

    @Test(arguments: ["/early", "/early-in-body"])
    func anAnswerBeforeTheBodyIsReadArrivesAndEndsTheConnection(target: String) throws {
        let server = try serve { $0.limits.lingerMilliseconds = 30_000 }
        let client = try server.connect()
        let length = 4 << 20
        try client.send("POST \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n")
        let body = [UInt8](repeating: 1, count: length)
        #expect(throws: Never.self) { try client.send(body) }
        let response = try client.readResponse()
        #expect(response.status == 403)
        #expect(response.headers["connection"] == "close")
        #expect(client.isEnded())
        #expect(!client.sawReset)
    }

    @Test func anApplicationMayEndTheConnectionFromWithinItsCallbacks() throws {
        let server = try serve()
        for request in [get("/abort"), post("/abort-in-body", "x"), get("/abort") + get("/hold")] {
            let client = try server.connect()
            try client.send(request)
            #expect(client.isEnded())
        }
        #expect(routes.heldCount == 0)
        #expect(server.onShard { $0.connectionCount } == 0)
    }

    @Test func aHeaderMadeOfWhatAClientSentCannotSplitTheAnswer() throws {
        let server = try serve()
        let client = try server.connect()
        let response = try client.get("/bad-header")
        #expect(response.status == 500)
        #expect(response.headers["x-b"] == nil)
        #expect(client.isEnded())
    }

    @Test func aStreamedAnswerComesWholeAndTheNextAfterIt() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(get("/stream?5000000") + get("/stream?0") + get("/stream?1"))
        let body = try client.readResponse().body
        #expect(body.count == 5_000_000)
        #expect(Routes.isStreamed(body))
        #expect(try client.readResponse().body.isEmpty)
        #expect(try client.readResponse().body.count == 1)
    }

    @Test func aStreamedAnswerIsMadeAsFastAsItIsRead() throws {
        let server = try serve()
        let client = try server.connect(receiveBuffer: 16_384)
        try client.send(get("/stream?40000000"))
        usleep(200_000)
        // What is out is in the kernel's buffers, and a piece more waits.
        #expect(routes.streamed.value < 8_000_000)
        #expect(server.cpuShare(over: 0.2) < 0.2)
        let body = try client.readResponse().body
        #expect(body.count == 40_000_000)
        #expect(Routes.isStreamed(body))
    }

    @Test func aStreamThatEndsBeforeItsLengthEndsTheConnection() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(throws: (any Error).self) { try client.get("/short?5") }
    }

    // Answers piled up in memory, one for each pipelined request, until the bound cut the client off.
    @Test func aClientThatPipelinesAndDoesNotReadIsNotWorkedFor() throws {
        let server = try serve()
        let client = try server.connect(receiveBuffer: 16_384)
        let count = 400
        try client.send(String(repeating: get("/bytes?100000"), count: count))
        usleep(200_000)
        #expect(server.counters.requests.value < 100)
        for _ in 0..<count { #expect(try client.readResponse().body.count == 100_000) }
        #expect(try client.get("/hello").text == "hello")
    }

    // The time to linger counted from the answer, not from when the client had it.
    @Test func aSlowReaderGetsTheWholeAnswerThatEndsTheConnection() throws {
        let server = try serve { $0.limits.lingerMilliseconds = 100 }
        let client = try server.connect(receiveBuffer: 8_192)
        try client.send(get("/bytes?3500000", headers: "Connection: close\r\n"))
        usleep(500_000)
        #expect(try client.readResponse().body.count == 3_500_000)
        #expect(client.isEnded())
        #expect(!client.sawReset)
    }

    @Test func aPeerThatStaysAfterTheEndIsCutOffAfterAWhile() throws {
        let server = try serve { $0.limits.lingerMilliseconds = 100 }
        let client = try server.connect()
        try client.send(get("/hello", headers: "Connection: close\r\n"))
        #expect(try client.readResponse().text == "hello")
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func anUpgradeOfARequestWithABodyIsRefused() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send(post("/ws-always", "body"))
        #expect(try client.readResponse().status == 400)
        #expect(client.isEnded())
    }
}
