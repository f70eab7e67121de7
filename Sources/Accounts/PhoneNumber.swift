import CPhoneNumbers

/// A telephone number in the form of E.164, such as +14155550123, that some country gives out and that texts may reach.
package struct PhoneNumber: Sendable, Equatable {
    package let text: String
    /// Two letters, such as US.
    package let region: String

    /// Nil for every other form: blanks and brackets are not removed.
    package init?(_ text: String) {
        // E.164 has at most 15 digits.
        guard text.utf8.first == UInt8(ascii: "+"), text.utf8.count <= 16,
            text.utf8.dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        var region = [CChar](repeating: 0, count: 4)
        guard rooms_phone_number(text, &region) else { return nil }
        self.text = text
        self.region = String(decoding: region.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether two letters are a country with telephone numbers.
    package static func isRegion(_ text: String) -> Bool { rooms_phone_region(text) }
}
