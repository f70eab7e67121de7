import Foundation
import Testing

@testable import Transport

@Suite("Proxies")
struct ProxyTests {
    let routes = Routes()

    static let loopback = ["127.0.0.0/8"]

    private func serve(
        tls: TLSFiles? = nil, trusted: [String] = loopback, _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(
            tls: tls,
            {
                $0.trustedProxies = trusted.compactMap { AddressBlock($0) }
                change(&$0)
            }, handler: routes.handler)
    }

    static func version2(_ host: [UInt8], command: UInt8 = 0x21, family: UInt8 = 0x11, more: [UInt8] = []) -> [UInt8] {
        let addresses = host + [127, 0, 0, 1] + [0x1F, 0x90, 0, 80] + more
        return [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, command, family, 0, UInt8(addresses.count)]
            + addresses
    }

    static let headers: [(String, [UInt8])] = [
        ("203.0.113.7", Array("PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n".utf8)),
        ("2001:db8::1", Array("PROXY TCP6 2001:db8::1 ::1 4711 80\r\n".utf8)),
        ("0.0.0.0", Array("PROXY UNKNOWN\r\n".utf8)),
        ("0.0.0.0", Array("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".utf8)),
        ("203.0.113.7", version2([203, 0, 113, 7])),
        ("203.0.113.7", version2([203, 0, 113, 7], more: [UInt8](repeating: 4, count: 100))),
        ("127.0.0.1", version2([203, 0, 113, 7], command: 0x20)),
        // LOCAL is a check of the proxy's own, whatever else it says.
        ("127.0.0.1", version2([203, 0, 113, 7], command: 0x20, family: 0)),
        ("0.0.0.0", version2([203, 0, 113, 7], family: 0)),
        ("0.0.0.0", version2([203, 0, 113, 7], family: 0x31)),
    ]

    @Test(arguments: headers)
    func theProxysHeaderTellsThePeer(peer: String, header: [UInt8]) throws {
        let server = try serve { $0.proxyProtocol = true }
        let client = try server.connect()
        try client.send(header + get("/peer").utf8)
        #expect(try client.readResponse().text == peer)
        #expect(try client.get("/peer").text == peer)
        let slow = try server.connect()
        for byte in header + get("/peer").utf8 { try slow.send([byte]) }
        #expect(try slow.readResponse().text == peer)
    }

    /// A client that the proxy's header does not name must not count as the proxy, which is exempt from limits and bans.
    @Test(arguments: headers)
    func aClientThatTheHeaderDoesNotNameIsLimitedAndTold(peer: String, header: [UInt8]) throws {
        let server = try serve {
            $0.proxyProtocol = true
            $0.limits.connectionsPerAddressMax = 1
        }
        var kept: [Client] = []
        for isFirst in [true, false] {
            let client = try server.connect()
            try client.send(header + get("/peer").utf8)
            #expect(try client.readResponse().status == (isFirst || peer == "127.0.0.1" ? 200 : 503))
            kept.append(client)
        }
        #expect(server.sawNotice(.addressUnreadable) == (peer == "0.0.0.0"))
        withExtendedLifetime(kept) {}
    }

    @Test func itComesBeforeTLS() throws {
        let certificate = try TestCertificate()
        let server = try serve(tls: certificate.files) { $0.proxyProtocol = true }
        for (peer, header) in Self.headers {
            let client = try server.connect()
            try client.send(header)
            #expect(client.startTLS())
            #expect(try client.get("/peer").text == peer)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
        "PROXY TCP4 1.2.3.4.5 1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n", "PROXY SCTP 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY \r\n", "\r\n\r\nGET",
        "PROXY TCP4 " + String(repeating: "1", count: 200), "\r\n\r\n\u{0}\r\nQUIT\nAAAAAAAAAA",
    ])
    func aTrustedProxyThatSendsAnythingElseIsCutOff(text: String) throws {
        let server = try serve { $0.proxyProtocol = true }
        let client = try server.connect()
        try client.send(text)
        #expect(try client.readToEnd().isEmpty)
        #expect(becomesTrue { server.counters.closesByReason[.protocolError] == 1 })
    }

    @Test func aProxyThatNeverSaysForWhomIsCutOff() throws {
        let server = try serve {
            $0.proxyProtocol = true
            $0.limits.handshakeMilliseconds = 500
        }
        let client = try server.connect()
        try client.send("PROXY TCP4")
        #expect(client.isEnded())
        #expect(server.counters.closesByReason[.handshakeTimeout] == 1)
    }

    @Test func aPeerThatIsNotTrustedIsNotBelieved() throws {
        let server = try serve(trusted: ["10.0.0.0/8"]) {
            $0.proxyProtocol = true
            $0.forwardedFor = true
        }
        let client = try server.connect()
        try client.send("PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n" + get("/peer"))
        #expect(try client.readResponse().status == 400)
        let other = try server.connect()
        #expect(try other.get("/peer", headers: "X-Forwarded-For: 203.0.113.7\r\n").text == "127.0.0.1")
    }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7", true), ("203.0.113.7", "127.0.0.1", false),
        ("6.6.6.6, 203.0.113.7", "203.0.113.7", true), ("6.6.6.6, 203.0.113.7, 127.0.0.9", "203.0.113.7", true),
        ("127.0.0.2, 127.0.0.3", "127.0.0.2", true), ("2001:db8::1", "2001:db8::1", true),
        ("::ffff:203.0.113.7", "203.0.113.7", true),
        ("6.6.6.6\r\nX-Forwarded-For: 203.0.113.7", "203.0.113.7", true),
        ("7.7.7.7:8080", "7.7.7.7", true), ("[2001:db8::1]:443", "2001:db8::1", true),
        ("[2001:db8::1]", "2001:db8::1", true), ("[::ffff:7.7.7.7]:1", "7.7.7.7", true),
        ("6.6.6.6:1, 7.7.7.7:8080, 127.0.0.9:4711", "7.7.7.7", true), ("nonsense, 7.7.7.7:8080", "7.7.7.7", true),
        ("6.6.6.6, , 7.7.7.7", "7.7.7.7", true), (",\r\nX-Forwarded-For: 7.7.7.7", "7.7.7.7", true),
    ])
    func theLastAddressThatIsNoProxyCounts(header: String, peer: String, configured: Bool) throws {
        let server = try serve { $0.forwardedFor = configured }
        let client = try server.connect()
        #expect(try client.get("/peer", headers: "X-Forwarded-For: \(header)\r\n").text == peer)
    }

    /// What a proxy states and the server cannot read must not count as the proxy, which is exempt from limits and bans.
    @Test(arguments: [
        "nonsense", "203.0.113.7, nonsense", "nonsense, 127.0.0.9", "", ",", "unknown", "unix:", "7.7.7.7:",
        "7.7.7.7:x",
        "7.7.7.7:65536", "[7.7.7.7]:80", "[2001:db8::1", "2001:db8::1]", "[2001:db8::1]443", "fe80::1%eth0", "0.0.0.0",
        "0.0.0.0:80",
        // A proxy adds nothing for a client without an address, behind what that client has invented.
        "127.0.0.1, ", "127.0.0.1,", "6.6.6.6, ", "6.6.6.6,,", "6.6.6.6, , 127.0.0.9", "6.6.6.6\r\nX-Forwarded-For:",
        "6.6.6.6\r\nX-Forwarded-For: ,", "6.6.6.6\r\nX-Forwarded-For: , 127.0.0.9",
    ])
    func aClientWhoseAddressCannotBeReadIsUnknownAndLimited(header: String) throws {
        let server = try serve {
            $0.forwardedFor = true
            $0.limits.connectionsPerAddressMax = 1
        }
        let client = try server.connect()
        #expect(try client.get("/peer", headers: "X-Forwarded-For: \(header)\r\n").text == "0.0.0.0")
        let state = server.server.state
        #expect(state.countedAddress(of: .unknown) != nil && !state.isTrustedProxy(.unknown))
        #expect(server.sawNotice(.addressUnreadable))
    }

    @Test func aProxyThatTrustsEverybodyStillDoesNotTrustTheUnknown() throws {
        let server = try serve(trusted: ["0.0.0.0/0"]) { $0.forwardedFor = true }
        #expect(try server.connect().get("/peer", headers: "X-Forwarded-For: nonsense\r\n").text == "0.0.0.0")
        #expect(server.server.state.countedAddress(of: .unknown) != nil)
    }

    @Test func aProxyWithoutTheHeaderSpeaksForItself() throws {
        let server = try serve { $0.forwardedFor = true }
        #expect(try server.connect().get("/peer").text == "127.0.0.1")
        #expect(!server.sawNotice(.addressUnreadable))
    }

    @Test func addressesThatCannotBeReadAreToldOnceAnHour() throws {
        let server = try serve()
        for now in [Int64(0), 1, 2_000, 3_599_999, 3_600_000] {
            server.server.state.notice(.addressUnreadable, "\(now)", now: now)
            server.server.state.notice(.addressExhausted, "\(now)", now: now)
        }
        #expect(server.details(of: .addressUnreadable) == ["0", "3600000"])
        #expect(server.details(of: .addressExhausted) == ["0", "2000", "3599999"])
    }

    @Test func aNetworkOfIPv6CountsAsOneAddress() throws {
        let server = try serve {
            $0.proxyProtocol = true
            $0.limits.connectionsPerAddressMax = 2
        }
        var kept: [Client] = []
        let addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]
        for (address, status) in zip(addresses, [200, 200, 503, 200]) {
            let client = try server.connect()
            try client.send("PROXY TCP6 \(address) ::1 4711 80\r\n" + get("/peer"))
            #expect(try client.readResponse().status == status)
            kept.append(client)
        }
    }

    @Test func connectionsCountForWhomTheProxyNames() throws {
        let server = try serve {
            $0.proxyProtocol = true
            $0.limits.connectionsPerAddressMax = 2
        }
        func connect(_ address: String) throws -> (Client, Int) {
            let client = try server.connect()
            try client.send("PROXY TCP4 \(address) 127.0.0.1 4711 80\r\n" + get("/peer"))
            return (client, try client.readResponse().status)
        }
        var kept: [Client] = []
        for status in [200, 200, 503] {
            let (client, answered) = try connect("203.0.113.7")
            #expect(answered == status)
            if status == 503 { #expect(client.isEnded()) } else { kept.append(client) }
        }
        #expect(server.sawNotice(.addressExhausted))
        #expect(server.counters.connectionsRefused.value == 1)
        #expect(try connect("203.0.113.8").1 == 200)
        // Loopback is exempt.
        for _ in 0..<4 {
            let (client, status) = try connect("127.0.0.77")
            #expect(status == 200)
            kept.append(client)
        }
        kept.removeFirst()
        #expect(becomesTrue { (try? connect("203.0.113.7").1) == 200 })
        withExtendedLifetime(kept) {}
    }
}

@Suite("The PROXY protocol's header")
struct ProxyHeaderReaderTests {
    @Test func theHeaderMayBeSplitAnywhereAndWhatFollowsIsNotTouched() {
        for (_, header) in ProxyTests.headers {
            let all = header + Array("rest".utf8)
            for first in 0..<header.count {
                for second in first..<header.count {
                    var reader = ProxyHeaderReader()
                    var used: Int?
                    for range in [0..<first, first..<second, second..<all.count] where !range.isEmpty {
                        let result = all[range].withUnsafeBytes { reader.read($0) }
                        if case .header(_, let count) = result { used = range.lowerBound + count }
                        if case .invalid = result { used = -1 }
                    }
                    #expect(used == header.count)
                }
            }
        }
    }

    @Test func noInputMakesItReadOnForever() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            var reader = ProxyHeaderReader()
            let start =
                [Array("PROXY TCP4 ".utf8), Array(ProxyTests.version2([1, 2, 3, 4]).prefix(14)), []]
                .randomElement(using: &generator) ?? []
            var read = 0
            var isDone = false
            var piece = start
            while !isDone {
                if !piece.isEmpty {
                    switch piece.withUnsafeBytes({ reader.read($0) }) {
                    case .needMore: read += piece.count
                    case .invalid: isDone = true
                    case .header(_, let used):
                        #expect(used > 0 && used <= piece.count)
                        isDone = true
                    }
                }
                #expect(read <= ProxyHeaderReader.headerBytesMax)
                if read > ProxyHeaderReader.headerBytesMax { break }
                piece = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            }
        }
    }
}
