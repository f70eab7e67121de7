import Testing

@testable import Accounts

@Suite("Telephone numbers")
struct PhoneNumberTests {
    @Test(
        "are read in the form of E.164",
        arguments: [
            ("+14155550123", "US"), ("+4915112345678", "DE"), ("+447400123456", "GB"), ("+5511987654321", "BR"),
        ])
    func good(text: String, region: String) {
        let number = PhoneNumber(text)
        #expect(number?.text == text && number?.region == region)
    }

    @Test(
        "are refused in every other form, and when no country gives them out",
        arguments: [
            "", "+", "14155550123", "0014155550123", "+1 415 555 0123", "+1-415-555-0123", "+1(415)5550123",
            "+1415555012", "+141555501234", "+999123456789", "+0123456789", "+１4155550123", "+14155550123\0",
            "+14155550123 ", " +14155550123", "tel:+14155550123", "+1415555O123", "+1234567890123456", "+49",
            // Toll-free, a land line, premium rate, of no country.
            "+18005550123", "+442079460958", "+449012345678", "+80012345678",
        ])
    func bad(text: String) {
        #expect(PhoneNumber(text) == nil)
    }
}
