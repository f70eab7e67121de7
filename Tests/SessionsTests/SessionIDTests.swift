import Testing

@testable import Sessions

@Suite struct SessionIDTests {
    @Test func everyShardSurvivesTheWayIntoTextAndBack() {
        for shard in 0..<256 {
            for _ in 0..<16 {
                let id = SessionID(shard: shard)
                let text = id.description
                #expect(text.utf8.count == 20)
                #expect(SessionID(text) == id)
                #expect(SessionID(text)?.shard == shard)
                #expect(SessionID(text)?.description == text)
            }
        }
    }

    @Test(arguments: ["", "A", String(repeating: "A", count: 19), String(repeating: "A", count: 21)])
    func textOfAnotherLengthIsNoID(_ text: String) {
        #expect(SessionID(text) == nil)
    }

    @Test func otherCharactersMakeNoID() {
        for byte in UInt8.min...UInt8.max {
            let scalar = Character(Unicode.Scalar(byte))
            let isAllowed = scalar.isASCII && (scalar.isLetter || scalar.isNumber || scalar == "-" || scalar == "_")
            let text = String(repeating: "A", count: 19) + String(scalar)
            #expect((SessionID(text) != nil) == isAllowed, "byte \(byte)")
        }
    }

    /// 112 bits, each of which is as often set as not.
    @Test func allButTheShardIsRandom() throws {
        let count = 4_096
        var set = [Int](repeating: 0, count: 120)
        var seen: Set<String> = []
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for _ in 0..<count {
            let text = SessionID(shard: 0).description
            seen.insert(text)
            for (position, character) in text.enumerated() {
                let value = try #require(alphabet.firstIndex(of: character))
                for bit in 0..<6 where value >> (5 - bit) & 1 == 1 { set[position * 6 + bit] += 1 }
            }
        }
        #expect(seen.count == count)
        #expect(set[..<14].allSatisfy { $0 == 0 })
        // Seven standard deviations to either side.
        #expect(set[14...].allSatisfy { abs($0 - count / 2) < 7 * 32 })
    }
}
