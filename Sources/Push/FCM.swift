import Fetch
import Store
import Threads
import Wire

/// Notifications to Android devices through Google's FCM (HTTP v1): one request for each device.
package final class FCM: PushProvider {
    package static let standardURL = "https://fcm.googleapis.com"

    package let name = "FCM"
    package let takesManyDevices = false
    private let account: ServiceAccount
    private let client: FetchClient
    private let access: GoogleToken
    private let unixSeconds: @Sendable () -> Int64

    /// Nil when an address is neither https nor http on loopback.
    package init?(
        url: String, _ account: ServiceAccount, caFile: String? = nil, limits: PushLimits = PushLimits(),
        unixSeconds: @escaping @Sendable () -> Int64 = Clock.unixSeconds
    ) {
        guard let url = FetchURL(url) else { return nil }
        let bounds = FetchLimits(bodyBytesMax: limits.answerBytesMax, milliseconds: limits.requestMilliseconds)
        guard let access = GoogleToken(account, caFile: caFile, limits: bounds) else { return nil }
        self.account = account
        self.access = access
        self.unixSeconds = unixSeconds
        client = FetchClient(url, caFile: caFile, limits: bounds)
    }

    package func send(_ message: PushMessage) -> PushOutcome {
        guard let device = message.devices.first else { return .nobody() }
        do throws(FetchFault) {
            var response = try client.send(try request(message, to: device))
            // The token may have been taken back early.
            if response.status == 401 {
                access.forget()
                response = try client.send(try request(message, to: device))
            }
            return Self.outcome(response, device)
        } catch {
            return .failed(error.reason)
        }
    }

    // MARK: The request

    private func request(_ message: PushMessage, to device: String) throws(FetchFault) -> FetchRequest {
        let headers = [
            ("Authorization", "Bearer \(try access.current(now: unixSeconds()))"),
            ("Content-Type", "application/json; charset=utf-8"), ("Accept", "application/json"),
        ]
        var request = FetchRequest("POST", headers: headers, body: Self.body(message, to: device))
        request.target = "/v1/projects/\(account.projectID)/messages:send"
        return request
    }

    /// What Android alone understands stands beside the texts: FCM refuses `icon` or `tag` in `notification` itself.
    static func body(_ message: PushMessage, to device: String) -> [UInt8] {
        let content = message.content
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("message")
            json.beginObject()
            json.member("token", device)
            if !content.isSilent { json.texts(content) }
            json.key("data")
            json.data(of: content)
            json.key("android")
            json.beginObject()
            // FCM keeps four of these for a device that cannot be reached.
            json.member("collapse_key", content.type)
            json.member("priority", content.isSilent ? "NORMAL" : "HIGH")
            if !content.isSilent { json.look(content) }
            json.endObject()
            json.endObject()
            json.endObject()
        }
        return body
    }

    // MARK: The answer

    static func outcome(_ response: FetchResponse, _ device: String) -> PushOutcome {
        guard response.status != 200 else { return .sent() }
        let error = (try? JSONReader(response.body))?["error"]
        let code = errorCode(error)
        let reason = "the provider answers \(response.status)" + (code.isEmpty ? "" : ": \(code)")
        switch (response.status, code) {
        // The second is a token of another project.
        case (404, "UNREGISTERED"), (403, "SENDER_ID_MISMATCH"): return .nobody(unknownDevices: [device])
        case (400, "INVALID_ARGUMENT") where blamesToken(error): return .nobody(unknownDevices: [device])
        case (408, _), (429, _), (500..., _):
            return .failed(
                reason, retryAfterSeconds: response.retryAfter.flatMap { DecimalInteger.parse($0.utf8.span) })
        // A wrong key or project is a fault of the configuration, not of the notification.
        case (300..<400, _), (401, _), (403, _), (404, _), (405, _), (407, _): return .failed(reason)
        default: return .refused(reason)
        }
    }

    /// FCM's own code among the details, or Google's general one.
    private static func errorCode(_ error: JSONReader?) -> String {
        let own = error?["details"]?.items?.lazy.compactMap { $0["errorCode"]?.string }.first
        return String((own ?? error?["status"]?.string ?? "").prefix(64))
    }

    private static func blamesToken(_ error: JSONReader?) -> Bool {
        let violations = (error?["details"]?.items ?? []).flatMap { $0["fieldViolations"]?.items ?? [] }
        return violations.contains { $0["field"]?.string == "message.token" }
    }
}

extension JSONWriter {
    fileprivate mutating func texts(_ content: PushContent) {
        key("notification")
        beginObject()
        member("title", content.title)
        member("body", content.text)
        endObject()
    }

    fileprivate mutating func look(_ content: PushContent) {
        key("notification")
        beginObject()
        if let icon = content.look.icon { member("icon", icon) }
        if let color = content.look.color { member("color", color) }
        member("sound", "default")
        // The same one again takes the place of the first.
        member("tag", content.look.tag ?? content.collapseID)
        endObject()
    }
}
