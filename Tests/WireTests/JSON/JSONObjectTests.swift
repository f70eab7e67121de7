import Testing
import Wire

@Suite("Objects that are merged")
struct JSONObjectTests {
    private func merged(_ object: String, _ change: String) -> String? {
        JSONObject.merged(Array(object.utf8), Array(change.utf8)).map { String(decoding: $0.json, as: UTF8.self) }
    }

    @Test("have the newest value of each member, and none that is null in the change")
    func values() {
        #expect(merged(#"{"a":1,"b":2}"#, #"{"b":3,"c":4}"#) == #"{"a":1,"b":3,"c":4}"#)
        #expect(merged(#"{"a":1,"b":2}"#, #"{"a":null}"#) == #"{"b":2}"#)
        #expect(merged("{}", #"{"a":1,"a":2,"b":null,"b":5,"c":6,"c":null}"#) == #"{"a":2,"b":5}"#)
        // Two forms of one letter are two names.
        #expect(merged("", "{\"\u{e9}\":1,\"e\u{301}\":2}") == "{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(merged("{}", "[]") == nil)
    }

    /// Each member must not cost as much as there are members: a client chooses their number.
    @Test("may have very many members")
    func many() {
        let members = (0..<60_000).map { "\"\($0)\":\($0 % 3 == 0 ? "null" : "1")" }.joined(separator: ",")
        let result = JSONObject.merged([], Array("{\(members)}".utf8))
        #expect(result?.memberCount == 40_000)
    }
}
