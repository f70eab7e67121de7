/// A character that no text may have, because it would break logs, terminals or stores: a control character that documents do
/// not have. They have the tab, the ends of lines and pages (U+000A to U+000D) and U+0085.
///
/// Texts of rooms and of all applications follow this one rule. It takes the separators of lines and paragraphs (U+2028, U+2029)
/// and the marks of direction. Names, which stand beside the texts of others, are one line without those.
package struct UnfitCharacter: CustomStringConvertible {
    private let scalar: Unicode.Scalar

    /// The first one of a text in UTF-16; nil without any.
    package init?(in units: some Sequence<UInt16>) {
        guard let unit = units.first(where: Self.isUnfit), let scalar = Unicode.Scalar(unit) else { return nil }
        self.scalar = scalar
    }

    private static func isUnfit(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x09...0x0d, 0x85: false
        case 0...0x1f, 0x7f...0x9f: true
        default: false
        }
    }

    package var description: String { "the control character \(scalar.codePoint)" }
}

extension Unicode.Scalar {
    /// Its number as Unicode writes it, such as `U+2028`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(4 - digits.utf8.count, 0)) + digits
    }
}
