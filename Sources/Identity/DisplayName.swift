/// Names as other participants see them: one line of printable characters.
enum DisplayName {
    /// The text without unprintable characters and without blanks at its ends, cut to a length; nil if nothing is left.
    static func cleaned(_ text: String, scalarsMax: Int) -> String? {
        var name = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isPrintable(scalar) {
            if name.isEmpty, scalar.properties.isWhitespace { continue }
            name.append(scalar)
            if name.count == scalarsMax { break }
        }
        while let last = name.last, last.properties.isWhitespace { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }

    /// Joiners connect emoji, and some scripts need them. Other invisible characters could make one name look like
    /// another, or reverse the text around it.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: scalar == "\u{200c}" || scalar == "\u{200d}"
        default: true
        }
    }
}
