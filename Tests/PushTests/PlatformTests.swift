import Identity
import Store
import Testing

@testable import Fetch
@testable import Push

@Suite("Notifications of the platforms")
struct PlatformTests {
    /// The example of the guide for phones.
    private var message: PushMessage {
        get throws {
            let push = AppPush(
                app: "muejam", account: "ann", type: "whisper_reply", subject: "clx8h9i0j1k2l3m4n5o6p7q8",
                title: "New Reply", text: "Alice replied to your whisper",
                data: [
                    AppPush.Datum("whisper_id", "clx7g8h9i0j1k2l3m4n5o6p7"),
                    AppPush.Datum("reply_id", "clx8h9i0j1k2l3m4n5o6p7q8"),
                    AppPush.Datum("deep_link", "muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"),
                ])
            let again = try #require(AppPush(push.push(at: 60)))
            #expect(again == push)
            let content = PushContent(
                type: again.type, subject: again.subject, title: again.title, text: again.text,
                data: [PushContent.Datum(name: "type", value: again.type)]
                    + again.data.map { PushContent.Datum(name: $0.name, value: $0.value) },
                look: PushLook.of(again.app, again.type))
            return PushMessage(id: Array(0..<16), content: content, devices: ["t"], badge: 3)
        }
    }

    @Test("have on iOS the bytes that the guide prints")
    func ios() throws {
        let printed =
            #"{"aps":{"alert":{"title":"New Reply","body":"Alice replied to your whisper"},"badge":3,"sound":"default","#
            + #""category":"WHISPER_REPLY"},"data":{"type":"whisper_reply","whisper_id":"clx7g8h9i0j1k2l3m4n5o6p7","#
            + #""reply_id":"clx8h9i0j1k2l3m4n5o6p7q8","deep_link":"muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"}}"#
        #expect(String(decoding: APNs.body(try message), as: UTF8.self) == printed)
        #expect(try message.content.collapseID == "whisper_reply:clx8h9i0j1k2l3m4n5o6p7q8")
    }

    @Test("have on Android the members that the guide prints, where HTTP v1 takes them")
    func android() throws {
        let body =
            #"{"message":{"token":"t","notification":{"title":"New Reply","body":"Alice replied to your whisper"},"#
            + #""data":{"type":"whisper_reply","whisper_id":"clx7g8h9i0j1k2l3m4n5o6p7","#
            + #""reply_id":"clx8h9i0j1k2l3m4n5o6p7q8","deep_link":"muejam://whisper/clx7g8h9i0j1k2l3m4n5o6p7"},"#
            + #""android":{"collapse_key":"whisper_reply","priority":"HIGH","notification":{"icon":"ic_notification","#
            + ##""color":"#6366F1","sound":"default","tag":"whisper_reply"}}}}"##
        #expect(String(decoding: FCM.body(try message, to: "t"), as: UTF8.self) == body)
    }

    @Test("that are silent wake the application up, and show nothing")
    func silent() {
        var content = PushContent(
            type: "mood_changed", subject: "all", title: "", text: "",
            data: [PushContent.Datum(name: "type", value: "mood_changed")], look: PushLook())
        content.isSilent = true
        let message = PushMessage(id: Array(0..<16), content: content, devices: ["t"], badge: 3)
        func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }
        #expect(text(APNs.body(message)) == #"{"aps":{"content-available":1},"data":{"type":"mood_changed"}}"#)
        #expect(
            text(FCM.body(message, to: "t"))
                == #"{"message":{"token":"t","data":{"type":"mood_changed"},"#
                + #""android":{"collapse_key":"mood_changed","priority":"NORMAL"}}}"#)
        let onesignal = OneSignal(url: "http://127.0.0.1:1/", appID: "app", key: Array("k".utf8))
        #expect(
            onesignal.map { text($0.body(message)) }
                == #"{"app_id":"app","target_channel":"push","include_subscription_ids":["t"],"content_available":true,"#
                + #""data":{"type":"mood_changed"},"collapse_id":"mood_changed:all","#
                + #""idempotency_key":"00010203-0405-4607-8809-0a0b0c0d0e0f"}"#)
    }

    @Test("of rooms replace those of the same type and room")
    func rooms() {
        let content = PushContent(
            type: "element_added", subject: "r", title: "Kitchen", text: "x", data: [],
            look: PushLook.of(Device.rooms, "element_added"))
        let body = String(
            decoding: FCM.body(PushMessage(id: [], content: content, devices: []), to: "t"), as: UTF8.self)
        #expect(body.contains(#""tag":"element_added:r""#) && !body.contains("color"))
    }

    @Test("have an id to collapse by that every provider takes, whatever they are about")
    func collapseIDs() {
        func id(_ type: String, _ subject: String) -> String {
            PushContent(type: type, subject: subject, title: "", text: "", data: [], look: PushLook()).collapseID
        }
        let long = String(repeating: "r", count: 50)
        #expect(id("element_added", "r") == "element_added:r" && id("element_added", long).hasPrefix("element_added:"))
        let digests = [
            ("element_added", long), ("element_added", "Küche"), ("element_added", "a b"), ("element_added", "a\r\nb"),
        ]
        .map { id($0.0, $0.1 == long ? long + "r" : $0.1) }
        for digest in digests {
            #expect(digest.utf8.count == 22 && digest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
        }
        // Another subject or type has another; the same has the same.
        #expect(Set(digests).count == digests.count && id("element_added", "Küche") == digests[1])
        #expect(id("room_renamed", "Küche") != digests[1])
    }

    private func response(_ status: Int, _ body: String, retryAfter: String? = nil) -> FetchResponse {
        FetchResponse(status: status, retryAfter: retryAfter, body: Array(body.utf8))
    }

    private func fcm(_ status: Int, _ code: String, retryAfter: String? = nil) -> PushOutcome {
        let body = #"{"error":{"status":"X","details":[{"errorCode":"\#(code)"}]}}"#
        return FCM.outcome(response(status, body, retryAfter: retryAfter), "t")
    }

    @Test("understand the answers of FCM")
    func answersOfFCM() {
        #expect(FCM.outcome(response(200, "{}"), "t") == .sent())
        #expect(fcm(404, "UNREGISTERED") == .nobody(unknownDevices: ["t"]))
        #expect(fcm(403, "SENDER_ID_MISMATCH") == .nobody(unknownDevices: ["t"]))
        let violation =
            #"{"error":{"status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"message.token"}]}]}}"#
        #expect(FCM.outcome(response(400, violation), "t") == .nobody(unknownDevices: ["t"]))
        #expect(fcm(400, "INVALID_ARGUMENT") == .refused("the provider answers 400: INVALID_ARGUMENT"))
        let limited = PushOutcome.failed("the provider answers 429: QUOTA_EXCEEDED", retryAfterSeconds: 60)
        #expect(fcm(429, "QUOTA_EXCEEDED", retryAfter: "60") == limited)
        for status in [301, 401, 403, 404, 408, 500, 503] {
            #expect(fcm(status, "Z") == .failed("the provider answers \(status): Z"))
        }
    }

    @Test("understand the answers of APNs")
    func answersOfAPNs() {
        func apns(_ status: Int, _ reason: String, _ more: String = "") -> PushOutcome {
            APNs.outcome(response(status, #"{"reason":"\#(reason)"\#(more)}"#), "t")
        }
        #expect(APNs.outcome(response(200, ""), "t") == .sent())
        #expect(apns(410, "Unregistered") == .nobody(unknownDevices: ["t"]))
        let since = apns(410, "Unregistered", #","timestamp":1700000000999"#)
        #expect(since == .nobody(unknownDevices: ["t"], since: 1_700_000_000))
        #expect(apns(400, "BadDeviceToken") == .nobody(unknownDevices: ["t"]))
        #expect(apns(400, "PayloadEmpty") == .refused("the provider answers 400: PayloadEmpty"))
        #expect(apns(413, "PayloadTooLarge") == .refused("the provider answers 413: PayloadTooLarge"))
        for (status, reason) in [
            (403, "InvalidProviderToken"), (429, "TooManyRequests"), (503, "Shutdown"), (400, "BadTopic"),
        ] {
            #expect(apns(status, reason) == .failed("the provider answers \(status): \(reason)"))
        }
        #expect(APNs.isToken("device_token_from_fcm_or_apns") && APNs.isToken(String(repeating: "a", count: 200)))
        for bad in ["", "a/b", "a b", "a?b", String(repeating: "a", count: 201)] { #expect(!APNs.isToken(bad)) }
    }

    @Test("that failed say why in words for people and programs")
    func reasons() {
        let reason = PushReason(service: "FCM", kind: "service_unavailable", reason: "the provider answers 503: X")
        #expect(PushReason(reason.text) == reason)
        #expect(PushReason("sent") == nil && PushReason("the server ended") == nil)
        let kinds = [
            ("the provider answers 503", "service_unavailable"), ("the provider answers 429: X", "rate_limited"),
            ("the provider answers 401", "authentication_failed"), ("the server took too long", "timeout"),
            ("the server cannot be reached: refused", "unreachable"), ("the provider answers 404", "rejected"),
        ]
        for (text, kind) in kinds { #expect(PushReason.kind(text) == kind) }
    }

    @Test("are signed with keys of the right kind alone")
    func keys() {
        #expect(PrivateKey(pem: Array("nonsense".utf8)) == nil && ServiceAccount(Array("{}".utf8)) == nil)
    }
}
