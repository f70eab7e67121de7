import Wire

/// The address of a wallet: the last 20 bytes of the hash of its public key.
package struct WalletAddress: Sendable, Hashable {
    static let bytesCount = 20

    private let bytes: [UInt8]

    /// - Parameter key: a public key, without the byte 4 before it.
    init(publicKey key: [UInt8]) {
        bytes = Array(Keccak256.of(key).suffix(Self.bytesCount))
    }

    /// Reads `0x` and 40 hexadecimal digits. Letters of both cases are a checksum (EIP-55), which must be right.
    package init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst(2))
        guard text.hasPrefix("0x"), digits.count == Self.bytesCount * 2 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = ASCII.hexValue(digits[index]), let low = ASCII.hexValue(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
        let letters = digits.filter { ASCII.isLetter($0) }
        let isOfOneCase = letters.allSatisfy { $0 < 0x60 } || letters.allSatisfy { $0 > 0x60 }
        guard isOfOneCase || checksummed.utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// In small letters, as it is stored and compared.
    package var text: String { "0x" + Hex.text(bytes) }

    /// With the checksum of EIP-55: a letter is a capital where the hash of the small letters has a digit from 8 on.
    package var checksummed: String {
        let small = Array(Hex.text(bytes).utf8)
        let hash = Keccak256.of(small)
        let mixed = small.enumerated().map { index, digit in
            let nibble = index % 2 == 0 ? hash[index / 2] >> 4 : hash[index / 2] & 15
            return ASCII.isLetter(digit) && nibble >= 8 ? digit & ~0x20 : digit
        }
        return "0x" + String(decoding: mixed, as: UTF8.self)
    }
}
