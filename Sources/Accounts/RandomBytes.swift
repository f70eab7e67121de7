import Wire

/// Random bytes that cannot be guessed.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// A UUID of version 4, in small letters.
    static func uuid() -> String { Hex.uuid(make(16)) }
}
