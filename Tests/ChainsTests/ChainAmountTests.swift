import Testing

@testable import Chains

@Suite("Amounts of a chain")
struct ChainAmountTests {
    @Test(
        "are exact decimal numbers",
        arguments: [
            ("0x0", 18, "0"), ("0x1", 18, "0.000000000000000001"), ("0x14d1120d7b160000", 18, "1.5"),
            ("0xde0b6b3a7640000", 18, "1"), ("0x3b9aca00", 6, "1000"), ("0x1", 0, "1"), ("0x0a", 1, "1"),
            ("0x7", 1, "0.7"), ("0xFF", 2, "2.55"),
            ("0x0000000000000000000000000000000000000000000000000000000000000064", 6, "0.0001"),
            (
                "0x" + String(repeating: "f", count: 64), 18,
                "115792089237316195423570985008687907853269984665640564039457.584007913129639935"
            ),
            (
                "0x" + String(repeating: "f", count: 64), 0,
                "115792089237316195423570985008687907853269984665640564039457584007913129639935"
            ),
            // More than a Double can tell apart.
            ("0x20000000000001", 0, "9007199254740993"),
        ])
    func exact(hex: String, decimals: Int, text: String) {
        #expect(ChainAmount.text(hex, decimals: decimals) == text)
    }

    @Test(
        "are nothing else",
        arguments: ["", "0x", "0", "1.5", "0xg", "-0x1", "0x" + String(repeating: "0", count: 65), "0x 1"])
    func wrong(text: String) {
        #expect(ChainAmount.text(text, decimals: 18) == nil)
    }
}

@Suite("Tokens of a chain")
struct ChainTokenTests {
    @Test("are read as they are written")
    func written() {
        let token = ChainToken("USDC:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48:6")
        #expect(token?.symbol == "USDC" && token?.decimals == 6)
        #expect(token?.text == "USDC:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48:6")
        #expect(token.flatMap { ChainToken($0.text) } == token)
    }
}
