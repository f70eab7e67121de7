import Testing

@testable import Transport

@Suite("Addresses")
struct PeerAddressTests {
    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "255.255.255.255", "10.20.30.40", "::", "::1", "2001:db8::ff00:42:8329", "fe80::1",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
    func textGivesTheAddressBack(text: String) {
        #expect(PeerAddress(text)?.text == text)
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4x", "::1::", "localhost", "1.2.3.4:80", "[::1]"])
    func whatIsNoAddressIsNone(text: String) {
        #expect(PeerAddress(text) == nil)
    }

    @Test func anIPv4AddressWrittenAsIPv6IsThatIPv4Address() {
        #expect(PeerAddress("::ffff:10.1.2.3")?.address == .v4(0x0A01_0203))
        #expect(PeerAddress("::ffff:127.0.0.1")?.isLocal == true)
        #expect(PeerAddress("::10.1.2.3")?.address == .v6(0, 0x0A01_0203))
    }

    @Test func loopbackIsToldFromOthers() {
        for text in ["127.0.0.1", "127.255.0.9", "::1"] { #expect(PeerAddress(text)?.isLocal == true) }
        for text in ["126.0.0.1", "128.0.0.1", "::2", "1::1", "0.0.0.0"] {
            #expect(PeerAddress(text)?.isLocal == false)
        }
        #expect(PeerAddress(host: .unix, port: 0).isLocal)
    }

    @Test func aRangeHoldsWhatAgreesInItsFirstBits() throws {
        let cases: [(String, [String], [String])] = [
            ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.9.9.9"], ["11.0.0.0", "9.255.255.255", "::1"]),
            ("0.0.0.0/0", ["1.2.3.4", "255.255.255.255"], ["::", "::1"]),
            ("192.168.1.128/25", ["192.168.1.128", "192.168.1.255"], ["192.168.1.127", "192.168.2.128"]),
            ("1.2.3.4", ["1.2.3.4"], ["1.2.3.5", "1.2.3.0"]),
            ("1.2.3.4/31", ["1.2.3.4", "1.2.3.5"], ["1.2.3.6", "1.2.3.3"]),
            ("::/0", ["::1", "ffff::"], ["1.2.3.4"]),
            ("2001:db8::/32", ["2001:db8::1", "2001:db8:ffff::"], ["2001:db9::", "2001:db7::"]),
            ("2001:db8::/64", ["2001:db8::1", "2001:db8::ffff:0:0:1"], ["2001:db8:0:1::"]),
            ("2001:db8::/65", ["2001:db8::1", "2001:db8::7fff:0:0:0"], ["2001:db8::8000:0:0:0"]),
            ("2001:db8::1", ["2001:db8::1"], ["2001:db8::2"]),
            ("2001:db8::2/127", ["2001:db8::2", "2001:db8::3"], ["2001:db8::1", "2001:db8::4"]),
        ]
        for (text, inside, outside) in cases {
            let range = try #require(AddressBlock(text))
            for text in inside { #expect(range.contains(try #require(IPAddress(text))), "\(text) in \(range)") }
            for text in outside { #expect(!range.contains(try #require(IPAddress(text))), "\(text) in \(range)") }
        }
    }

    @Test(arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "10.0.0.0/x"])
    func whatIsNoRangeIsNone(text: String) {
        #expect(AddressBlock(text) == nil)
    }

    @Test func aNetworkIsTheUsualSizeOfWhatOneClientCanHave() throws {
        for (address, network) in [
            ("203.0.113.7", "203.0.113.0/24"), ("2001:db8:1:2:3::4", "2001:db8:1::/48"), ("::1", "::/48"),
        ] {
            #expect(try #require(IPAddress(address)).network().description == network)
        }
    }

    @Test func rangesAgreeWithComparingBitByBit() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let one = UInt32.random(in: 0 ... .max, using: &generator)
            let other = one ^ (1 << UInt32.random(in: 0..<32, using: &generator))
            let bits = Int.random(in: 0...32, using: &generator)
            let range = AddressBlock("\(IPAddress.v4(one))/\(bits)")
            let agrees = (0..<bits).allSatisfy { (one ^ other) >> UInt32(31 - $0) & 1 == 0 }
            #expect(range?.contains(.v4(other)) == agrees)
        }
    }
}
