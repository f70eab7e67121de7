/// Random ids that cannot be guessed and do not repeat.
package enum RandomID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 120 random bits as 20 characters.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<2 {
            var bits = generator.next()
            for _ in 0..<10 {
                text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits & 63)]))
                bits >>= 6
            }
        }
        return text
    }
}
