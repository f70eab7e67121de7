import Sessions
import Testing

@testable import Configuration
@testable import Identity

@Suite("Each layer gets its settings")
struct LayerTests {
    @Test("a session keeps one token of its first request, and little more")
    func keptRequest() throws {
        let kept = try #require(ServerConfiguration().sessions.keptRequest)
        // A longer token stays too long when it is cut, so it is refused.
        let token = IdentityLimits().tokenBytesMax + 16
        #expect(kept.headers == [.init("User-Agent", bytesMax: 64), .init("Authorization", bytesMax: token)])
        #expect(
            kept.queryItems == [
                .init("touch", bytesMax: 16), .init("decimals", bytesMax: 16), .init("token", bytesMax: token),
            ])
        #expect(kept.bytesMax == token + 1_024)
    }
}
