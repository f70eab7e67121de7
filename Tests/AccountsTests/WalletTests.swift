import Testing
import Wire

@testable import Accounts

@Suite("Keccak-256")
struct KeccakTests {
    @Test(
        "fits the published vectors",
        arguments: [
            ([], "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"),
            ([0xcc], "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a"),
            (Array("abc".utf8), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
            (
                Array("The quick brown fox jumps over the lazy dog".utf8),
                "4d741b6f1eb29cb2a9b9911c82f56fa8d73b04959d3d9d222895df6c0b28aa15"
            ),
        ] as [([UInt8], String)])
    func published(bytes: [UInt8], hash: String) {
        #expect(Hex.text(Keccak256.of(bytes)) == hash)
    }

    @Test("differs for every length around those of its blocks")
    func lengths() {
        let hashes = (130...275).map { Keccak256.of(Array(repeating: 0, count: $0)) }
        #expect(Set(hashes).count == hashes.count)
    }
}

@Suite("Addresses of wallets")
struct WalletAddressTests {
    @Test(
        "have the checksum of EIP-55",
        arguments: [
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
            "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
            "0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
        ])
    func checksum(text: String) {
        #expect(WalletAddress(text)?.checksummed == text)
        #expect(WalletAddress(text.lowercased())?.checksummed == text)
        #expect(WalletAddress("0x" + text.dropFirst(2).uppercased())?.text == text.lowercased())
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "0x", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg", "ann.eth",
        ])
    func wrong(text: String) {
        #expect(WalletAddress(text) == nil)
    }
}

@Suite("Signatures of wallets")
struct WalletSignatureTests {
    private let signature =
        "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c"

    @Test("lead to the address whose key has made them")
    func signer() throws {
        // A published example of `personal_sign`.
        for text in [signature, "0x" + signature, signature.uppercased()] {
            let signer = try WalletSignature.signer(of: "Some data", text)
            #expect(signer.checksummed == "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")
        }
        // Some wallets write 1 for 28.
        let plain = try WalletSignature.signer(of: "Some data", signature.dropLast(2) + "01")
        #expect(plain.checksummed == "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")
        #expect(try WalletSignature.signer(of: "Some dat", signature) != plain)
    }

    @Test("have 65 bytes that are one")
    func wrong() {
        let zeros = String(repeating: "0", count: 128) + "1b"
        for text in [
            "", "0x", signature + "00", String(signature.dropLast(2)), signature.dropLast(2) + "1d", zeros, "zz",
        ] {
            #expect(throws: WalletFault.noSignature) { try WalletSignature.signer(of: "Some data", text) }
        }
    }

    @Test("that were made of another one are refused")
    func malleable() {
        // The order of the curve less `s`, with the other parity.
        let other =
            "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd"
            + "9ff818b327d1fc847ffe79bdd03d25e83e3a5df66962ceb160751b8bd754a118" + "1b"
        #expect(throws: WalletFault.highS) { try WalletSignature.signer(of: "Some data", other) }
    }
}

@Suite("Messages that wallets sign")
struct WalletMessageTests {
    private let address = WalletAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")

    private func text(_ changes: [(String, String)] = []) -> String {
        var text = """
            rooms.example wants you to sign in with your Ethereum account:
            0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed

            Hello.

            URI: https://rooms.example/page?x#y
            Version: 1
            Chain ID: 1
            Nonce: 0123456789
            Issued At: 2025-10-10T10:00:00.123Z
            """
        for (old, new) in changes { text = text.replacing(old, with: new) }
        return text
    }

    @Test("are read as they are written")
    func written() throws {
        let address = try #require(address)
        let message = WalletMessage(
            domain: "localhost:8080", address: address, statement: "S.", uri: "http://localhost:8080", chain: 5,
            nonce: "ab12cd34", issuedAt: 1_760_090_400, expiresAt: 1_760_090_700)
        #expect(try WalletMessage(reading: message.text) == message)
        #expect(message.isOfOnePlace && message.origin == "http://localhost:8080")
    }

    @Test("may have every part of EIP-4361")
    func parts() throws {
        let plain = try WalletMessage(reading: text())
        #expect(plain.statement == "Hello." && plain.chain == 1 && plain.issuedAt == 1_760_090_400)
        #expect(plain.origin == "https://rooms.example" && plain.isOfOnePlace && plain.expiresAt == nil)
        #expect(try WalletMessage(reading: text([("Hello.\n\n", "\n")])).statement == nil)
        let whole = try WalletMessage(
            reading: "https://" + text()
                + """

                Expiration Time: 2025-10-10T12:00:00+02:00
                Not Before: 2025-10-10T09:00:00Z
                Request ID: 7
                Resources:
                - https://rooms.example/terms
                - ipfs://x
                """)
        #expect(whole.expiresAt == 1_760_090_400 && whole.notBefore == 1_760_086_800 && whole.isOfOnePlace)
        #expect(try WalletMessage(reading: "http://" + text()).isOfOnePlace == false)
        #expect(try WalletMessage(reading: text([("https://rooms", "https://evil")])).isOfOnePlace == false)
        #expect(try WalletMessage(reading: text([("https://rooms", "https://x-rooms")])).isOfOnePlace == false)
    }

    @Test(
        "have no other form",
        arguments: [
            (" wants you", " wants us"), ("5aAeb", "5aaeb"), ("0x5aAeb", "0xx"), ("\n\nHello", "\nHello"),
            ("Hello.\n\n", "Hello.\n"), ("Hello.", "Hello.\nHello."), ("URI: ", "URL: "), ("Version: 1", "Version: 2"),
            ("Chain ID: 1", "Chain ID: one"), ("Chain ID: 1\n", ""), ("Nonce: 0123456789\n", ""),
            ("2025-10-10T10:00:00.123Z", "now"), ("2025-10-10T10:00:00.123Z", "2025-10-10"),
            (":00.123Z", ":00Z\nmore"), (":00.123Z", ":00Z\n"), ("Issued At", "Expiration Time"),
            ("Hello.", String(repeating: "x", count: 4_096)),
        ])
    func wrong(change: (String, String)) {
        #expect(throws: WalletFault.self) { try WalletMessage(reading: text([change])) }
    }

    @Test("name the address with its checksum")
    func checksum() {
        let right = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        for change in [right.lowercased(), "0x" + right.dropFirst(2).uppercased()] {
            #expect(throws: WalletFault.checksum(right)) { try WalletMessage(reading: text([(right, change)])) }
        }
    }
}
