import Fetch
import Identity
import Threads
import Wire

/// Exchanges the authorization codes of sign-ins with Apple for tokens, and revokes such a token when its account is deleted.
package final class AppleTokens: Sendable {
    package static let standardURL = "https://appleid.apple.com"

    enum Outcome: Sendable {
        case token(String)
        case done
        /// Apple does not know the code or the token.
        case unknown
        case failed(String)
    }

    private enum Job: Sendable {
        case exchange(String, client: String)
        case revoke(String, client: String)
    }

    private let workers: Workers<Job, Outcome>
    private let report: @Sendable (String) -> Void

    /// Nil for an address that is neither https nor http on loopback, or another key than an elliptic one in PEM.
    ///
    /// - Parameter report: told of a failure, for the log.
    package init?(
        url: String, team: String, keyID: String, key: [UInt8], report: @escaping @Sendable (String) -> Void
    ) {
        guard let address = FetchURL(url), let key = PrivateKey(pem: key), key.isElliptic else { return nil }
        self.report = report
        let signer = AppleKey(key: key, team: team, keyID: keyID)
        workers = Workers(threadCount: 1, waitingMax: 256) {
            let client = FetchClient(address, limits: FetchLimits(bodyBytesMax: 64 << 10, milliseconds: 5_000))
            let base = address.target.hasSuffix("/") ? String(address.target.dropLast()) : address.target
            return { Self.run($0, client, base, signer) }
        }
    }

    func stop() { workers.stop() }

    /// The token for a code; nil when Apple gives none.
    func exchange(_ code: String, for client: String) async -> String? {
        switch await told(.exchange(code, client: client)) {
        case .token(let token): return token
        case .unknown:
            report("Apple does not know the code of a sign-in")
            return nil
        case .done, .failed: return nil
        }
    }

    /// Whether Apple has answered for good: the token is revoked, or Apple does not know it.
    func revoke(_ token: String, of client: String) async -> Bool {
        switch await told(.revoke(token, client: client)) {
        case .done, .unknown, .token: true
        case .failed: false
        }
    }

    private func told(_ job: Job) async -> Outcome {
        let outcome = await workers.run(job) ?? .failed("too many requests to Apple wait")
        if case .failed(let reason) = outcome { report(reason) }
        return outcome
    }

    // MARK: On the thread

    private static func run(_ job: Job, _ client: FetchClient, _ base: String, _ signer: AppleKey) -> Outcome {
        let (path, id, fields): (String, String, [(String, String)]) =
            switch job {
            case .exchange(let code, let client):
                ("/auth/token", client, [("grant_type", "authorization_code"), ("code", code)])
            case .revoke(let token, let client):
                ("/auth/revoke", client, [("token_type_hint", "refresh_token"), ("token", token)])
            }
        guard let secret = signer.secret(for: id, now: Clock.unixSeconds()) else {
            return .failed("the secret for Apple cannot be signed")
        }
        let all = [("client_id", id), ("client_secret", secret)] + fields
        let body = all.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        var request = FetchRequest(
            "POST", headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
            body: Array(body.utf8), isLast: true)
        request.target = base + path
        do throws(FetchFault) {
            return outcome(try client.send(request), isExchange: path == "/auth/token")
        } catch {
            return .failed(error.reason)
        }
    }

    private static func outcome(_ response: FetchResponse, isExchange: Bool) -> Outcome {
        let answer = try? JSONReader(response.body)
        switch response.status {
        case 200 where isExchange:
            guard let token = answer?["refresh_token"]?.string, (1...4_096).contains(token.utf8.count) else {
                return .failed("Apple gives no token")
            }
            return .token(token)
        case 200: return .done
        case 400 where answer?["error"]?.string == "invalid_grant": return .unknown
        default: return .failed("Apple answers \(response.status)")
        }
    }
}

/// The key with which this server proves to Apple that it is the team's.
private struct AppleKey: Sendable {
    private static let secretSeconds: Int64 = 300

    let key: PrivateKey
    let team: String
    let keyID: String

    /// A token in place of a client's secret. Nil only when libcrypto fails.
    func secret(for client: String, now: Int64) -> String? {
        key.token(keyID: keyID) { json in
            json.member("iss", team)
            json.member("iat", Int(now))
            json.member("exp", Int(now + Self.secretSeconds))
            json.member("aud", "https://appleid.apple.com")
            json.member("sub", client)
        }
    }
}
