/// A text that is equal to another only when the bytes are the same, as ids have to be.
///
/// Strings of Swift are equal when Unicode holds them for the same letters: the Kelvin sign for a K, an é of two scalars
/// for one of a single scalar. What is found by such an id is not what its bytes name.
public struct ExactText: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    public static func == (one: ExactText, other: ExactText) -> Bool {
        one.text.isExactly(other.text)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether these are the same bytes.
    public func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
