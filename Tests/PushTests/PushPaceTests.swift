import Store
import Testing
import Wire

@testable import Fetch
@testable import Push

@Suite("A pause after a failure")
struct PushPaceTests {
    @Test("doubles up to a bound, by chance up to half shorter, and begins anew after a success")
    func doubles() {
        var pace = PushPace(PushLimits())
        #expect((0..<4).map { _ in pace.failed(retryAfterSeconds: nil, chance: 1) } == [2_000, 4_000, 8_000, 16_000])
        #expect(pace.failed(retryAfterSeconds: nil, chance: 0) == 16_000)
        for _ in 0..<100 { #expect(pace.failed(retryAfterSeconds: nil, chance: 1) <= 600_000) }
        pace.succeeded()
        #expect(pace.failed(retryAfterSeconds: nil, chance: 1) == 2_000)
    }

    @Test("is not shorter than the provider asks for, up to an hour")
    func asked() {
        var pace = PushPace(PushLimits())
        #expect(pace.failed(retryAfterSeconds: 30, chance: 0) == 30_000)
        #expect(pace.failed(retryAfterSeconds: 1, chance: 1) == 4_000)
        #expect(pace.failed(retryAfterSeconds: .max, chance: 1) == 3_600_000)
        #expect(pace.failed(retryAfterSeconds: -5, chance: 1) == 16_000)
    }
}

@Suite("OneSignal")
struct OneSignalTests {
    private let message = PushMessage(
        id: Array(0..<16),
        content: PushContent(
            type: "element_added", subject: "r", title: "t", text: "x", data: [], look: PushLook()),
        devices: ["a", "b"])

    private func outcome(_ status: Int, _ body: String, retryAfter: String? = nil) -> PushOutcome {
        let response = FetchResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8))
        return OneSignal.outcome(response, of: message)
    }

    @Test("answers are understood")
    func outcomes() {
        #expect(outcome(200, #"{"id":"x"}"#) == .sent())
        #expect(outcome(202, "") == .sent())
        #expect(
            outcome(200, #"{"id":"x","errors":{"invalid_player_ids":["b","c"]}}"#) == .sent(unknownDevices: ["b"]))
        #expect(outcome(200, #"{"id":"","errors":["none"]}"#) == .nobody())
        #expect(outcome(400, #"{"errors":{"invalid_player_ids":["a"]}}"#) == .nobody(unknownDevices: ["a"]))
        #expect(outcome(400, #"{"errors":["no"]}"#) == .refused("the provider answers 400: no"))
        #expect(outcome(413, "<html>") == .refused("the provider answers 413"))
        #expect(
            outcome(429, "", retryAfter: "7") == .failed("the provider answers 429", retryAfterSeconds: 7))
        #expect(
            outcome(503, "", retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT") == .failed("the provider answers 503"))
        for status in [301, 401, 403, 404, 408, 500, 599] {
            #expect(outcome(status, "") == .failed("the provider answers \(status)"))
        }
    }

    @Test("gets the same name for the same notification, and no other")
    func names() {
        func id(_ account: String, _ room: String, _ type: String = "t", at: Int64 = 60) -> String {
            Hex.uuid(
                PushID.bytes(Push(account: account, room: room, type: type, at: at, dueAt: 0, json: [])))
        }
        #expect(id("a", "b") == id("a", "b", at: 119))
        #expect(Set([id("a", "b"), id("b", "a"), id("ab", ""), id("a", "b", "u"), id("a", "b", at: 120)]).count == 5)
        let parts = id("a", "b").split(separator: "-").map(\.count)
        #expect(parts == [8, 4, 4, 4, 12])
    }

    @Test("takes https, plain http on loopback alone, and a key that can stand in a header")
    func addresses() {
        let key = Array("key".utf8)
        #expect(OneSignal(url: OneSignal.standardURL, appID: "a", key: key) != nil)
        #expect(OneSignal(url: "http://127.0.0.1:1/x", appID: "a", key: key) != nil)
        #expect(OneSignal(url: "http://push.example/x", appID: "a", key: key) == nil)
        for bad in ["", "a b", "a\r\nX: y", "ä"] {
            #expect(OneSignal(url: OneSignal.standardURL, appID: "a", key: Array(bad.utf8)) == nil)
        }
    }
}
