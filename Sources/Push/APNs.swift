import Fetch
import Identity
import Store
import Threads
import Wire

/// Notifications to Apple's devices through APNs, over HTTP/2: one request for each device.
package final class APNs: PushProvider {
    package static let standardURL = "https://api.push.apple.com"

    /// What requests say about their sender.
    package struct Sender: Sendable {
        package let key: PrivateKey
        /// The id of the key.
        package let keyID: String
        package let teamID: String
        /// The bundle id of the app on the phone.
        package let topic: String
        /// Those of applications that have an app of their own.
        package let topics: [String: String]

        package init(
            key: PrivateKey, keyID: String, teamID: String, topic: String, topics: [String: String] = [:]
        ) {
            self.key = key
            self.keyID = keyID
            self.teamID = teamID
            self.topic = topic
            self.topics = topics
        }
    }

    package let name = "APNs"
    package let takesManyDevices = false
    private let sender: Sender
    private let client: FetchClient
    private let limits: PushLimits
    private let unixSeconds: @Sendable () -> Int64
    private var token: (text: String, at: Int64)?

    /// Nil when the address is neither https nor http on loopback.
    package init?(
        url: String, _ sender: Sender, caFile: String? = nil, limits: PushLimits = PushLimits(),
        unixSeconds: @escaping @Sendable () -> Int64 = Clock.unixSeconds
    ) {
        guard let url = FetchURL(url), sender.key.isElliptic else { return nil }
        self.sender = sender
        self.limits = limits
        self.unixSeconds = unixSeconds
        client = FetchClient(
            url, caFile: caFile,
            limits: FetchLimits(bodyBytesMax: limits.answerBytesMax, milliseconds: limits.requestMilliseconds))
    }

    package func send(_ message: PushMessage) -> PushOutcome {
        guard let device = message.devices.first else { return .nobody() }
        // A token is hexadecimal digits: anything else is none, and must not reach a path.
        guard Self.isToken(device) else { return .nobody(unknownDevices: [device]) }
        do throws(FetchFault) {
            var response = try client.send(request(message, to: device))
            if Self.reason(response) == "ExpiredProviderToken" {
                token = nil
                response = try client.send(request(message, to: device))
            }
            return Self.outcome(response, device)
        } catch {
            return .failed(error.reason)
        }
    }

    /// Apple's tokens are of 32 bytes, and may become longer.
    package static func isToken(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || $0 == 0x5f }
    }

    // MARK: The request

    private func request(_ message: PushMessage, to device: String) throws(FetchFault) -> FetchRequest {
        let isSilent = message.content.isSilent
        let headers = [
            ("authorization", "bearer \(try currentToken())"),
            ("apns-topic", sender.topics[message.app] ?? sender.topic),
            ("apns-push-type", isSilent ? "background" : "alert"), ("apns-priority", isSilent ? "5" : "10"),
            ("apns-expiration", "\(unixSeconds() + limits.ageSecondsMax)"),
            // The same for every attempt, so that a repetition takes the place of the first.
            ("apns-id", Hex.uuid(message.id)), ("apns-collapse-id", message.content.collapseID),
            ("content-type", "application/json"),
        ]
        var request = FetchRequest("POST", headers: headers, body: Self.body(message))
        request.target = "/3/device/\(device)"
        return request
    }

    static func body(_ message: PushMessage) -> [UInt8] {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("aps")
            json.beginObject()
            if message.content.isSilent { json.member("content-available", 1) } else { json.alert(message) }
            json.endObject()
            json.key("data")
            json.data(of: message.content)
            json.endObject()
        }
        return body
    }

    /// Apple wants a token to be used for 20 minutes at least and an hour at most.
    private func currentToken() throws(FetchFault) -> String {
        let now = unixSeconds()
        if let token, now - token.at < 45 * 60, now >= token.at { return token.text }
        let sender = sender
        let text = sender.key.token(keyID: sender.keyID) { json in
            json.member("iss", sender.teamID)
            json.member("iat", Int(now))
        }
        guard let text else { throw FetchFault("the key for APNs cannot sign") }
        token = (text, now)
        return text
    }

    // MARK: The answer

    static func outcome(_ response: FetchResponse, _ device: String) -> PushOutcome {
        let word = reason(response)
        let reason = "the provider answers \(response.status)" + (word.isEmpty ? "" : ": \(word)")
        switch (response.status, word) {
        case (200, _): return .sent()
        case (410, _):
            let since = (try? JSONReader(response.body))?["timestamp"]?.int
            return .nobody(unknownDevices: [device], since: since.map { Int64($0 / 1_000) })
        case (400, "BadDeviceToken"): return .nobody(unknownDevices: [device])
        // So much for one device: the notification waits, and another may not.
        case (429, "TooManyRequests"), (408, _), (429, _), (500..., _):
            return .failed(
                reason, retryAfterSeconds: response.retryAfter.flatMap { DecimalInteger.parse($0.utf8.span) })
        // A wrong key, topic or address is a fault of the configuration, not of the notification.
        case (300..<400, _), (401, _), (403, _), (404, _), (405, _), (407, _): return .failed(reason)
        case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"): return .failed(reason)
        default: return .refused(reason)
        }
    }

    private static func reason(_ response: FetchResponse) -> String {
        guard response.status != 200, let word = (try? JSONReader(response.body))?["reason"]?.string else { return "" }
        return String(word.prefix(64))
    }
}

extension JSONWriter {
    /// What the phone shows.
    fileprivate mutating func alert(_ message: PushMessage) {
        key("alert")
        beginObject()
        member("title", message.content.title)
        member("body", message.content.text)
        endObject()
        member("badge", Int(message.badge))
        member("sound", "default")
        member("category", message.content.type.uppercased())
    }

    /// What the application gets with a notification.
    mutating func data(of content: PushContent) {
        beginObject()
        for datum in content.data { member(datum.name, datum.value) }
        endObject()
    }
}
