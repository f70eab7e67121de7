/// E-mail addresses that can be used everywhere: letters of ASCII alone, so that no two look the same.
package enum EmailAddress {
    package static let bytesMax = 254

    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= bytesMax else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].count) else { return false }
        let words = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return words.allSatisfy { !$0.isEmpty && $0.allSatisfy(isOfWord) } && labels.count >= 2
            && labels.allSatisfy { isLabel($0) } && labels.last?.contains(where: isLetter) == true
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == hyphen }
    }

    private static let marks = Array("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isOfWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || marks.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
