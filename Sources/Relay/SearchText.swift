/// A text that operators search for, without regard to case in ASCII.
package struct SearchText: Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = text.utf8.map(Self.lower)
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package func isPart(of text: String) -> Bool {
        if bytes.isEmpty { return true }
        var text = text
        return text.withUTF8 { text in
            guard text.count >= bytes.count else { return false }
            return (0...text.count - bytes.count).contains { start in
                bytes.indices.allSatisfy { Self.lower(text[start + $0]) == bytes[$0] }
            }
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
}
