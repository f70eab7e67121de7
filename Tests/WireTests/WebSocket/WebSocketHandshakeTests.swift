import Testing
import Wire

@Suite struct WebSocketHandshakeTests {
    @Test func theKeyOfTheStandardIsAnsweredAsThere() {
        #expect(WebSocketHandshake.accept(key: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
        "dGhlIHNhbXBsZSBub25jZTE=", "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZ===", "dGhl HNhbXBsZSBub25jZQ==",
        "dGhlIHNhbXBsZSBub25jZ-==", "dGhlIHNhbXBsZSBub25jκ==", "dGhlIHNhbXBsZSBub25jZQ==dGhlIHNhbXBsZSBub25jZQ==",
    ])
    func aKeyThatIsNotTheBase64OfSixteenBytesIsRefused(key: String) {
        #expect(WebSocketHandshake.accept(key: key) == nil)
    }

    @Test func aClientsKeyIsOneThatAServerAccepts() {
        let key = WebSocketHandshake.key(random: Array("the sample nonce".utf8).span)
        #expect(key == "dGhlIHNhbXBsZSBub25jZQ==")
        let zeros = WebSocketHandshake.key(random: [UInt8](repeating: 0, count: 16).span)
        #expect(WebSocketHandshake.accept(key: zeros) != nil)
    }
}
