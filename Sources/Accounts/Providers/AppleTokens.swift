import COpenSSL
import Fetch
import Identity
import Threads
import Wire

/// What Apple gives for the authorization code of a sign-in: a token, with which this server tells Apple later that the account
/// has ended.
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
        guard let address = FetchURL(url), AppleKey(pem: key, team: team, keyID: keyID) != nil else { return nil }
        self.report = report
        workers = Workers(threadCount: 1, waitingMax: 256) {
            guard let signer = AppleKey(pem: key, team: team, keyID: keyID) else {
                preconditionFailure("the key was read before")
            }
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

    /// Answers whether Apple needs not be told again.
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

/// The key with which this server shows Apple who it is. For one thread.
private final class AppleKey {
    private static let secretSeconds: Int64 = 300

    private let key: OpaquePointer
    private let team: String
    private let keyID: String

    init?(pem: [UInt8], team: String, keyID: String) {
        guard let key = rooms_key_private(pem, pem.count) else { return nil }
        guard rooms_key_is_elliptic(key) else {
            EVP_PKEY_free(key)
            return nil
        }
        (self.key, self.team, self.keyID) = (key, team, keyID)
    }

    deinit { EVP_PKEY_free(key) }

    /// A JWT in place of a client's secret. Nil when libcrypto fails.
    func secret(for client: String, now: Int64) -> String? {
        let head = Self.part { json in
            json.member("alg", "ES256")
            json.member("kid", keyID)
        }
        let claims = Self.part { json in
            json.member("iss", team)
            json.member("iat", Int(now))
            json.member("exp", Int(now + Self.secretSeconds))
            json.member("aud", "https://appleid.apple.com")
            json.member("sub", client)
        }
        let message = Array("\(head).\(claims)".utf8)
        var signature = [UInt8](repeating: 0, count: 64)
        guard rooms_key_sign(key, message, message.count, &signature, signature.count) == 64 else { return nil }
        return "\(head).\(claims).\(Base64URL.text(signature))"
    }

    private static func part(_ write: (inout JSONWriter) -> Void) -> String {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            write(&json)
            json.endObject()
        }
        return Base64URL.text(bytes)
    }
}
