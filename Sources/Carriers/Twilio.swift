import Fetch
import Wire

/// Text messages to telephones, through Twilio's REST API: one request for each.
package final class Twilio: Carrier {
    package static let standardURL = "https://api.twilio.com"

    private let client: FetchClient
    private let target: String
    private let authorization: String
    private let sender: String

    /// Nil when the address is neither https nor http on loopback.
    ///
    /// - Parameters:
    ///   - sender: a number of the account in the form of E.164, a name, or a messaging service (`MG…`).
    package init?(url: String, account: String, key: [UInt8], sender: String, caFile: String? = nil) {
        guard let url = FetchURL(url) else { return nil }
        client = FetchClient(url, caFile: caFile, limits: FetchLimits(bodyBytesMax: 64 << 10, milliseconds: 10_000))
        // A proxy may have it below a path.
        let path = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
        target = path + "/2010-04-01/Accounts/\(PercentEncoding.encode(account))/Messages.json"
        var secret: [UInt8] = []
        Base64.encode((Array("\(account):".utf8) + key).span, into: &secret)
        authorization = "Basic " + String(decoding: secret, as: UTF8.self)
        self.sender = sender
    }

    package func carry(_ text: CarriedText) -> CarriedOutcome {
        let isService = sender.hasPrefix("MG") && sender.utf8.count == 34
        let from = isService ? "MessagingServiceSid" : "From"
        let fields = [("To", text.recipient), (from, sender), ("Body", text.text)]
        let body = fields.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        // A text that is sent twice costs twice: each request has a connection of its own, which does not rest.
        var request = FetchRequest(
            "POST",
            headers: [
                ("Authorization", authorization), ("Content-Type", "application/x-www-form-urlencoded"),
                ("Accept", "application/json"),
            ], body: Array(body.utf8), isLast: true)
        request.target = target
        do throws(FetchFault) {
            return Self.outcome(try client.send(request))
        } catch {
            return .failed(error.reason)
        }
    }

    static func outcome(_ response: FetchResponse) -> CarriedOutcome {
        if 200..<300 ~= response.status { return .sent }
        let code = (try? JSONReader(response.body))?["code"]?.int
        if let code, unreachable.contains(code) { return .unreachable }
        // The provider's sentence would name the recipient.
        return .failed("the provider of texts answers \(response.status)" + (code.map { " (code \($0))" } ?? ""))
    }

    /// Twilio's codes for a recipient that it cannot reach: no number, blocked, no mobile telephone.
    private static let unreachable: Set = [21211, 21214, 21217, 21610, 21612, 21614]
}
