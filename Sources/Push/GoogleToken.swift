import Fetch
import Wire

/// An access token of Google's, kept until shortly before it ends. For one thread.
final class GoogleToken {
    private let account: ServiceAccount
    private let client: FetchClient
    private var known: (token: String, endsAt: Int64)?

    init?(_ account: ServiceAccount, caFile: String?, limits: FetchLimits) {
        guard let url = FetchURL(account.tokenURL) else { return nil }
        self.account = account
        client = FetchClient(url, caFile: caFile, limits: limits)
    }

    func forget() { known = nil }

    func current(now: Int64) throws(FetchFault) -> String {
        if let known, now < known.endsAt { return known.token }
        let account = account
        let assertion = account.key.token { json in
            json.member("iss", account.email)
            json.member("scope", "https://www.googleapis.com/auth/firebase.messaging")
            json.member("aud", account.tokenURL)
            json.member("iat", Int(now))
            json.member("exp", Int(now + 3_600))
        }
        guard let assertion else { throw FetchFault("the key of the service account cannot sign") }
        let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")]
        let response = try client.send(FetchRequest("POST", headers: headers, body: Array(body.utf8)))
        let json = try? JSONReader(response.body)
        guard response.status == 200, let token = json?["access_token"]?.string, Self.canStandInHeader(token) else {
            let word = json?["error"]?.string.map { ": \($0.prefix(64))" } ?? ""
            throw FetchFault("the provider of access tokens answers \(response.status)\(word)")
        }
        let seconds = min(max(json?["expires_in"]?.int ?? 3_600, 0), 86_400)
        known = (token, now + Int64(max(seconds - 60, 0)))
        return token
    }

    private static func canStandInHeader(_ token: String) -> Bool {
        (1...4_096).contains(token.utf8.count) && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
