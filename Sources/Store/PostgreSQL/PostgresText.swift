/// Text as PostgreSQL can hold it.
///
/// PostgreSQL refuses U+0000 in a text, which a room's id or a user's may hold. So it is stored as two characters U+0001,
/// and U+0001 as U+0001 U+0002. Different texts stay different, and their order stays the same.
enum PostgresText {
    private static let mark: UInt8 = 1

    static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard text.contains(where: { $0 <= mark }) else { return bytes.append(contentsOf: text) }
        for byte in text {
            if byte <= mark { bytes.append(mark) }
            bytes.append(byte <= mark ? byte + 1 : byte)
        }
    }

    static func decode(_ stored: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard stored.contains(mark) else { return Array(stored) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stored.count)
        var isMarked = false
        for byte in stored {
            if isMarked {
                bytes.append(byte &- 1)
                isMarked = false
            } else if byte == mark {
                isMarked = true
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
