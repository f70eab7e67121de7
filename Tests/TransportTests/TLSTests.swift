import COpenSSL
import Foundation
import Testing

@testable import Transport

@Suite("TLS")
struct TLSTests {
    let routes = Routes()
    let certificate: TestCertificate

    init() throws {
        certificate = try TestCertificate(serial: 1)
    }

    private func serve(
        shards: Int = 1, _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(shards: shards, tls: certificate.files, change, handler: routes.handler)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func httpAndWebSocketsShareThePort(version: Int32) throws {
        let server = try serve()
        let client = try server.connect()
        #expect(client.startTLS(version: Int(version)))
        #expect(SSL_version(client.ssl) == version)
        #expect(try client.get("/secure").text == "yes")
        try client.send(get("/hello") + post("/echo", "abc") + get("/later"))
        for text in ["hello", "abc", "later"] { #expect(try client.readResponse().text == text) }
        try client.send(Array(Client.upgradeRequest().utf8) + Client.text("early"))
        #expect(try client.readResponse().status == 101)
        #expect(try client.readFrame().text == "early")
        try client.send(Client.text("flood 1000"))
        for index in 0..<1_000 { #expect(try client.readFrame().text == "message \(index)") }
        try client.send(Client.close(1000))
        #expect(try client.readFrame().closeCode == 1000)
    }

    @Test func olderVersionsAreRefused() throws {
        let server = try serve()
        #expect(try !server.connect().startTLS(version: Int(TLS1_1_VERSION)))
        let strict = try TestServer(
            tls: TLSFiles(
                certificate: certificate.files.certificate, key: certificate.files.key, requireTLS13: true),
            handler: routes.handler)
        #expect(try !strict.connect().startTLS(version: Int(TLS1_2_VERSION)))
        #expect(try strict.connect().startTLS(version: Int(TLS1_3_VERSION)))
    }

    @Test func http11IsChosenAndWhoOffersOnlyOthersIsTold() throws {
        let server = try serve()
        let both = try server.connect()
        #expect(both.startTLS(alpn: ["h2", "http/1.1"]))
        #expect(both.chosenProtocol == "http/1.1")
        let none = try server.connect()
        #expect(none.startTLS())
        #expect(none.chosenProtocol == "")
        let other = try server.connect()
        #expect(!other.startTLS(alpn: ["h2"]))
        // SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL
        #expect(ERR_peek_error() & 0x7F_FFFF == 1_120)
        #expect(becomesTrue { server.counters.closesByReason[.tlsError] == 1 })
    }

    @Test func largeBodiesPassBothWays() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(client.startTLS())
        let body = String(repeating: "0123456789abcdef", count: 62_500)
        try client.send(post("/echo", body) + get("/stream?20000000") + get("/hello"))
        #expect(try client.readResponse().text == body)
        let streamed = try client.readResponse().body
        #expect(streamed.count == 20_000_000)
        #expect(Routes.isStreamed(streamed))
        #expect(try client.readResponse().text == "hello")
    }

    @Test func anAnswerToASlowReaderIsMadeAsFastAsItIsRead() throws {
        let server = try serve()
        let client = try server.connect(receiveBuffer: 16_384)
        #expect(client.startTLS())
        try client.send(get("/stream?40000000"))
        usleep(200_000)
        #expect(routes.streamed.value < 8_000_000)
        #expect(server.cpuShare(over: 0.2) < 0.2)
        #expect(Routes.isStreamed(try client.readResponse().body))
    }

    @Test func aReloadedCertificateIsForNewConnectionsAndLeavesTheOldAlone() throws {
        let server = try serve(shards: 2)
        let old = try (0..<4).map { _ in try server.connect() }
        for client in old { #expect(client.startTLS() && client.serverSerial == 1) }
        let halfOpen = try server.connect()
        server.onShard(0) { _ in }
        server.onShard(1) { _ in }
        try certificate.write(serial: 2)
        try server.server.reloadCertificate()
        for index in 0..<2 { server.onShard(index) { _ in } }
        for _ in 0..<4 {
            let client = try server.connect()
            #expect(client.startTLS())
            #expect(client.serverSerial == 2)
        }
        for client in old { #expect(try client.get("/hello").text == "hello") }
        #expect(halfOpen.startTLS())
        #expect(try halfOpen.get("/hello").text == "hello")

        try certificate.directory.write("cert.pem", "no certificate")
        #expect(throws: TransportError.self) { try server.server.reloadCertificate() }
        let client = try server.connect()
        #expect(client.startTLS() && client.serverSerial == 2)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{5}hello", "\u{0}", "SSH-2.0-x\r\n"])
    func whatIsNoHandshakeEndsTheConnection(text: String) throws {
        let server = try serve { $0.limits.handshakeMilliseconds = 300 }
        let client = try server.connect()
        try client.send(text)
        _ = try client.readToEnd()
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func aHandshakeThatDoesNotEndIsCutOff() throws {
        let server = try serve { $0.limits.handshakeMilliseconds = 1_000 }
        let silent = try server.connect()
        let begun = try server.connect()
        try begun.send([0x16, 3, 1, 2, 0, 1])
        let shaken = try server.connect()
        // On a slow machine the time is over before that.
        if shaken.startTLS() { try? shaken.send("GET /hel") }
        for client in [silent, begun] { #expect(client.isEnded()) }
        #expect(becomesTrue { server.counters.closesByReason[.handshakeTimeout] == 3 })
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func aConnectionIsClosedWithCloseNotify() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(client.startTLS())
        try client.send(get("/hello", headers: "Connection: close\r\n"))
        #expect(try client.readResponse().text == "hello")
        var byte: UInt8 = 0
        let count = SSL_read(client.ssl, &byte, 1)
        #expect(SSL_get_error(client.ssl, count) == SSL_ERROR_ZERO_RETURN)
        SSL_shutdown(client.ssl)
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func aPeersCloseNotifyEndsTheConnection() throws {
        let server = try serve()
        let idle = try server.connect()
        #expect(idle.startTLS())
        SSL_shutdown(idle.ssl)
        let reading = try server.connect(receiveBuffer: 8_192)
        #expect(reading.startTLS())
        try reading.send(get("/stream?5000000"))
        SSL_shutdown(reading.ssl)
        #expect(try reading.readResponse().body.count == 5_000_000)
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
    }

    @Test func aPeerThatRenewsItsKeysIsFollowed() throws {
        let server = try serve()
        let client = try server.connect()
        #expect(client.startTLS(version: Int(TLS1_3_VERSION)))
        for _ in 0..<3 {
            #expect(SSL_key_update(client.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
            #expect(try client.get("/hello").text == "hello")
        }
    }

    @Test func handshakesBeyondTheRateWaitTheirTurn() throws {
        let server = try serve { $0.limits.tlsHandshakesPerSecondMax = 1 }
        let begun = Date()
        for _ in 0..<3 { #expect(try server.connect().startTLS()) }
        // One at once, the others as their seconds come.
        #expect(Date().timeIntervalSince(begun) > 0.8)
        #expect(server.sawNotice(.handshakesThrottled))
    }

    @Test func filesThatMakeNoCertificateAreRefusedWithTheirNames() throws {
        let other = try TestCertificate(serial: 3)
        let files = TLSFiles(certificate: certificate.files.certificate, key: other.files.key)
        let error = #expect(throws: TransportError.self) { try TestServer(tls: files, handler: routes.handler) }
        #expect(error?.description.contains(files.key) == true)
        #expect(throws: TransportError.self) {
            try TestServer(tls: TLSFiles(certificate: "/nowhere", key: "/nowhere"), handler: routes.handler)
        }
    }
}
