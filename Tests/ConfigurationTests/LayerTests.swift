import Sessions
import Testing

@testable import Configuration
@testable import Identity

@Suite("The layers below get of the settings what is theirs")
struct LayerTests {
    @Test("and of a session's first request little more than its token is kept")
    func keptRequest() throws {
        let kept = try #require(ServerConfiguration().sessions.keptRequest)
        let token = "Bearer ".utf8.count + IdentityLimits().tokenBytesMax
        var sizes = [kept.headers, kept.queryItems]
        let tokens = [sizes[0].removeValue(forKey: "Authorization"), sizes[1].removeValue(forKey: "token")]
        // A longer token is kept as one that is too long.
        #expect(tokens.allSatisfy { ($0 ?? 0) > token && ($0 ?? 0) < token + 16 })
        #expect(sizes.joined().reduce(0) { $0 + $1.value } == 96)
    }
}
