import Testing
import Wire

@testable import Sessions

@Suite struct CompressionTests {
    @Test func itIsAgreedOnOnlyWhenBothWantIt() throws {
        let header = "Sec-WebSocket-Extensions"
        let compressing = try TestServer { $0.compresses = true }
        let agreed = try compressing.webSocket(offersDeflate: true).socket.response[header]
        #expect(agreed?.hasPrefix("permessage-deflate") == true)
        #expect(try compressing.webSocket().socket.response[header] == nil)
        let plain = try TestServer()
        #expect(try plain.webSocket(offersDeflate: true).socket.response[header] == nil)
    }

    @Test func compressedAndPlainMessagesGoBothWaysInOrder() throws {
        let server = try TestServer { $0.compresses = true }
        let (socket, _) = try server.webSocket(offersDeflate: true)
        let large = "4" + String(repeating: "compressible ", count: 5_000)
        for round in 0..<5 {
            try socket.send("4small \(round)")
            try socket.send(compressed: large)
            try socket.send(binary: [UInt8](repeating: 7, count: 20_000))
            #expect(try socket.nextText() == "4small \(round)")
            #expect(try socket.nextText() == large)
            #expect(try socket.next() == .binary([UInt8](repeating: 7, count: 20_000)))
        }
    }

    @Test func anUpgradedSessionCompressesToo() throws {
        let server = try TestServer { $0.compresses = true }
        let client = try PollingClient(server)
        let socket = try TestWebSocket(
            server.connect(), server.target("websocket", sid: client.sid), offersDeflate: true)
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        try socket.send("5")
        let large = "4" + String(repeating: "compressible ", count: 500)
        try socket.send(compressed: large)
        #expect(try socket.nextText() == large)
    }

    /// A few bytes that would become a message over the limit.
    @Test func aMessageThatInflatesBeyondTheLimitIsRefused() throws {
        let server = try TestServer {
            $0.compresses = true
            $0.maxPayloadBytes = 10_000
        }
        let (socket, _) = try server.webSocket(offersDeflate: true)
        try socket.send(compressed: "4" + String(repeating: "x", count: 1_000_000))
        #expect(try socket.next() == .close(1009))
        #expect(server.leavesNoTrace)
    }
}
