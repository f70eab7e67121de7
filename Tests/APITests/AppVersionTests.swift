import Testing

@testable import API

@Suite("Versions of applications")
struct AppVersionTests {
    @Test("are in the order of their numbers, not of their letters")
    func order() throws {
        let texts = [
            "0.9", "1.0.0-alpha", "1.0.0", "1.2.0", "1.9", "1.9.9", "1.10.0-beta", "1.10", "1.100", "2", "10.0",
        ]
        let versions = try texts.map { try #require(AppVersion($0)) }
        for (index, version) in versions.enumerated() {
            for (other, later) in versions.enumerated() {
                #expect((version < later) == (index < other), "\(texts[index]) \(texts[other])")
            }
        }
        #expect(AppVersion("1.0") == AppVersion("1.0.0") && AppVersion("1.0+7") == AppVersion("1"))
    }

    @Test(
        "are refused when they are none",
        arguments: ["", ".", "1.", "a", "1..2", "-1", "1.2.x", "1,2", "1.2.3.4.5.6.7.8.9", "9999999999", "+"])
    func wrong(text: String) {
        #expect(AppVersion(text) == nil)
    }
}
