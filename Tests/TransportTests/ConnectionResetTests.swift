import TestSupport
import Testing
import Threads

@testable import Transport

@Suite("A connection that the peer resets")
struct ConnectionResetTests {
    let routes = Routes()

    /// The kernel resets a connection that is closed with unread input. The server finds that out when it writes, or when
    /// it waits for input.
    @Test(arguments: [false, true], [false, true])
    func lastWordsBeforeAResetAreHeard(serverWrites: Bool, isSecure: Bool) throws {
        let certificate = try TestCertificate(serial: 1)
        let server = try TestServer(tls: isSecure ? certificate.files : nil, handler: routes.handler)
        let client = try server.connect()
        if isSecure { #expect(client.startTLS()) }
        #expect(try client.upgrade().status == 101)
        try client.send(Client.text("unread") + Client.text("unread"))
        #expect(try client.readFrame().text == "unread")
        routes.withSockets(of: server) { socket in
            #expect(throws: Never.self) { try client.send(Client.text("last") + Client.text("words")) }
            client.reset()
            if serverWrites { socket.queue("to nobody") }
            socket.webSocket?.wantFlush()
        }
        #expect(becomesTrue { routes.closes.withLock { $0.map(\.reason) } == [.socketError] })
        #expect(routes.heard.withLock { $0 } == ["unread", "unread", "last", "words"])
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }
}
