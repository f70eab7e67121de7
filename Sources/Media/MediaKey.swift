import Wire

/// The name of a stored file: 160 random bits, and its encoding. The name is the permission to read the file.
///
/// As text it has 32 letters and digits, a dot and an extension. No other text is a key, so no key leads to another
/// path.
public struct MediaKey: Hashable, Sendable, CustomStringConvertible {
    private static let letterCount = 32
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    public let description: String
    public let format: MediaFormat

    /// A new one, from the system's secure source.
    public init(_ format: MediaFormat) {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<Self.letterCount).map { _ in Self.alphabet[Int(generator.next() & 31)] }
        description = String(decoding: letters, as: UTF8.self) + "." + format.fileExtension
        self.format = format
    }

    public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count <= Self.letterCount + 5, bytes.prefix(Self.letterCount).allSatisfy(Self.alphabet.contains),
            bytes.dropFirst(Self.letterCount).first == UInt8(ascii: "."),
            let format = MediaFormat(fileExtension: Substring(text.dropFirst(Self.letterCount + 1)))
        else { return nil }
        description = String(text)
        self.format = format
    }

    /// Names the folder that it lies in, one of 1,024.
    package var folder: String { String(description.prefix(2)) }
}
