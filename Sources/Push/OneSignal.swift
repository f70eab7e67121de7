import Fetch
import Store
import Wire

/// Notifications through OneSignal's REST API: one request for each.
///
/// Devices are what OneSignal calls subscription ids, and called player ids before.
package final class OneSignal: PushProvider {
    package static let standardURL = "https://api.onesignal.com/notifications"

    package let name = "OneSignal"
    package let takesManyDevices = true
    private let appID: String
    private let authorization: String
    private let client: FetchClient

    /// Nil when the address is neither https nor http on loopback, or the key cannot stand in a header.
    package init?(url: String, appID: String, key: [UInt8], caFile: String? = nil, limits: PushLimits = PushLimits()) {
        guard let url = FetchURL(url), Self.canStandInHeader(key) else { return nil }
        self.appID = appID
        let text = String(decoding: key, as: UTF8.self)
        // The keys of before 2024 have another scheme.
        authorization = (text.hasPrefix("os_v2_") ? "Key " : "Basic ") + text
        client = FetchClient(
            url, caFile: caFile,
            limits: FetchLimits(bodyBytesMax: limits.answerBytesMax, milliseconds: limits.requestMilliseconds))
    }

    package static func canStandInHeader(_ key: [UInt8]) -> Bool {
        !key.isEmpty && key.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    package func send(_ message: PushMessage) -> PushOutcome {
        let headers = [
            ("Authorization", authorization), ("Content-Type", "application/json; charset=utf-8"),
            ("Accept", "application/json"),
        ]
        do throws(FetchFault) {
            let request = FetchRequest("POST", headers: headers, body: body(message))
            return Self.outcome(try client.send(request), of: message)
        } catch {
            return .failed(error.reason)
        }
    }

    // MARK: The request

    func body(_ message: PushMessage) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member("app_id", appID)
            json.member("target_channel", "push")
            json.key("include_subscription_ids")
            json.beginArray()
            for device in message.devices { json.string(device) }
            json.endArray()
            if message.content.isSilent {
                json.member("content_available", true)
            } else {
                json.key("headings")
                json.english(message.content.title)
                json.key("contents")
                json.english(message.content.text)
            }
            json.key("data")
            json.data(of: message.content)
            // A newer one about the same takes the place of one that still lies there.
            json.member("collapse_id", message.content.collapseID)
            json.member("idempotency_key", Hex.uuid(message.id))
            json.endObject()
        }
        return body
    }

    // MARK: The answer

    static func outcome(_ response: FetchResponse, of message: PushMessage) -> PushOutcome {
        let answer = try? JSONReader(response.body)
        let unknown = unknownDevices(answer, among: message.devices)
        switch response.status {
        case 200..<300:
            // An answer that cannot be read says at least that it was taken.
            let isSent = answer?["id"]?.string?.isEmpty == false || answer?["errors"] == nil
            return isSent ? .sent(unknownDevices: unknown) : .nobody(unknownDevices: unknown)
        case 400 where !unknown.isEmpty: return .nobody(unknownDevices: unknown)
        case 408, 429, 500...:
            let seconds = response.retryAfter.flatMap { DecimalInteger.parse($0.utf8.span) }
            return .failed(reason(response.status, answer), retryAfterSeconds: seconds)
        // A wrong key or address is a fault of the configuration, not of the notification.
        case 300..<400, 401, 403, 404, 405, 407: return .failed(reason(response.status, answer))
        default: return .refused(reason(response.status, answer))
        }
    }

    private static func unknownDevices(_ answer: JSONReader?, among devices: [String]) -> [String] {
        let errors = answer?["errors"]
        let lists = ["invalid_player_ids", "invalid_subscription_ids"].compactMap { errors?[$0]?.items }
        let named = Set(lists.joined().compactMap(\.string))
        return devices.filter(named.contains)
    }

    private static func reason(_ status: Int, _ answer: JSONReader?) -> String {
        let errors = answer?["errors"]
        let words = errors?.items?.first?.string ?? errors?.string ?? ""
        return "the provider answers \(status)" + (words.isEmpty ? "" : ": \(words.prefix(200))")
    }
}

extension JSONWriter {
    /// A text in English, the only language.
    fileprivate mutating func english(_ text: String) {
        beginObject()
        member("en", text)
        endObject()
    }
}
