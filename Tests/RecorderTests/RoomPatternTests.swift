import Testing

@testable import Recorder

@Suite("A pattern of rooms")
struct RoomPatternTests {
    @Test(
        "matches names in which * is any text",
        arguments: [
            ("*", ["", "a", "lobby"], []), ("lobby", ["lobby"], ["", "lobby1", "a lobby"]),
            ("class-*", ["class-", "class-7"], ["class", "a class-7"]), ("*-x", ["-x", "a-x"], ["a-xy", "x"]),
            ("a*b*c", ["abc", "a1b2c", "aabbcc"], ["ac", "acb", "ab"]), ("a*a", ["aa", "aba"], ["a"]),
            ("", [""], ["a"]), ("**", ["", "a"], []), ("ä*", ["äb"], ["a"]),
        ] as [(String, [String], [String])])
    func matching(pattern: String, good: [String], bad: [String]) {
        for name in good { #expect(RoomPattern(pattern).matches(name), "\(name)") }
        for name in bad { #expect(!RoomPattern(pattern).matches(name), "\(name)") }
    }
}
