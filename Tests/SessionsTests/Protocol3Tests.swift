import Testing
import Wire

@testable import Sessions

/// Engine.IO 3 and Socket.IO 4, as clients of Socket.IO 1 and 2 speak them.
@Suite struct Protocol3Tests {
    @Test func theDefaultNamespaceIsConnectedUnasked() throws {
        let server = try TestServer(socketsOn: 1)
        let (socket, _) = try server.webSocket(version: .v3)
        #expect(try socket.nextText() == "40")
        let client = try PollingClient(server, version: .v3)
        #expect(client.early == ["40"])
        // Some ask for it all the same.
        try socket.send(together: ["40", #"42["echo",1]"#])
        #expect(try socket.nextText() == #"42["echo",1]"#)
    }

    @Test func anotherNamespaceIsConnectedWithItsQuery() throws {
        let server = try TestServer(sockets: { server, log in
            server.open("/", SocketScript(log))
            server.open("/custom", SocketScript(log)).use { request in
                log.append("query \(request.socket.query)")
                request.proceed()
            }
        })
        let (socket, _) = try server.webSocket(version: .v3)
        #expect(try socket.nextText() == "40")
        try socket.send("40/custom?token=a&b=c,")
        #expect(try socket.nextText() == "40/custom,")
        #expect(server.log.has("query token=a&b=c"))
        try socket.send(#"42/custom,["echo",1]"#)
        #expect(try socket.nextText() == #"42/custom,["echo",1]"#)
        try socket.send("41/custom,")
        #expect(server.log.has("disconnected /custom client namespace disconnect"))
    }

    @Test func refusalsAreErrorPackets() throws {
        let server = try TestServer(sockets: { server, log in
            server.open("/", SocketScript(log))
            server.open("/no", SocketScript(log)).use { $0.refuse("Not you") }
            server.open("/data", SocketScript(log)).use { $0.refuse("Not you", data: Array(#"{"a":1}"#.utf8)) }
        })
        let (socket, _) = try server.webSocket(version: .v3)
        #expect(try socket.nextText() == "40")
        for (name, answer) in [("/x", #""Invalid namespace""#), ("/no", #""Not you""#), ("/data", #"{"a":1}"#)] {
            try socket.send("40\(name),")
            #expect(try socket.nextText() == "44\(name),\(answer)")
        }
    }

    @Test func aRefusalOfTheDefaultNamespaceIsTold() throws {
        let server = try TestServer(sockets: { server, log in
            server.open("/", SocketScript(log)).use { $0.refuse("Not you") }
        })
        let (socket, _) = try server.webSocket(version: .v3)
        #expect(try socket.nextText() == #"44"Not you""#)
    }

    @Test func payloadsOfTextCountCharacters() throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: .v3)
        let answer = try client.posts.request(
            "POST", client.target, [("Content-Type", "text/plain;charset=UTF-8")], body: Array("2:4€6:4hello".utf8))
        #expect(answer.text == "ok")
        let polled = try client.polls.request("GET", client.target)
        #expect(polled.text == "2:4€6:4hello")
        #expect(polled["Content-Type"] == "text/plain; charset=UTF-8")
    }

    @Test func payloadsWithBinaryAreFramed() throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: .v3)
        // A text frame and a binary one, whose lengths are digits as bytes.
        let body: [UInt8] = [0, 3, 255, 0x34, 0xc3, 0xa9, 1, 3, 255, 4, 1, 2]
        let answer = try client.posts.request(
            "POST", client.target, [("Content-Type", "application/octet-stream")], body: body)
        #expect(answer.text == "ok")
        let polled = try client.polls.request("GET", client.target)
        #expect(polled["Content-Type"] == "application/octet-stream")
        #expect(polled.body == body)
    }

    @Test func clientsThatCanOnlyReadTextGetText() throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: .v3, query: "&b64=1")
        try client.post("bAQI=", "4a")
        let polled = try client.polls.request("GET", client.target)
        #expect(polled["Content-Type"] == "text/plain; charset=UTF-8")
        #expect(polled.text == "6:b4AQI=2:4a")
        let (socket, _) = try server.webSocket(version: .v3, query: "&b64=1")
        try socket.send("b4AQI=")
        #expect(try socket.nextText() == "b4AQI=")
        let both = try PollingClient(server, version: .v3, query: "&b64=0")
        try both.post("bAQI=")
        #expect(try both.polls.request("GET", both.target).body == [1, 3, 255, 4, 1, 2])
    }

    @Test func eventsWithAttachmentsGoBothWays() throws {
        let server = try TestServer(socketsOn: 1)
        let text = #"451-["echo",{"_placeholder":true,"num":0}]"#
        let (socket, _) = try server.webSocket(version: .v3)
        #expect(try socket.nextText() == "40")
        try socket.send(text)
        try socket.send(binary: [4, 9])
        #expect(try socket.nextText() == text)
        #expect(try socket.next() == .binary([4, 9]))
        let client = try PollingClient(server, version: .v3)
        try client.post(text, "bCQ==")
        #expect(try client.poll() == [text, "bCQ=="])
    }

    @Test(arguments: ["", "4a", "3:4a", "x:4a", "2:4a1:", "-1:4"])
    func whatIsNoPayloadEndsTheSession(_ body: String) throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: .v3)
        try client.beginPost(Array(body.utf8))
        #expect(try client.posts.readResponse().status == 400)
        #expect(server.log.has("closed parse error"))
        #expect(server.leavesNoTrace)
    }
}
