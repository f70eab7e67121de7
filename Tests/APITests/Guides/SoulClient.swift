import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client as the SOUL guide wants it: it keeps two tokens, refreshes once when the server answers 401, asks again once, and
/// signs out if that fails.
actor SoulClient {
    struct Request: Encodable {
        let phone: String
    }

    struct Verification: Encodable {
        let phone: String
        let otp: String
    }

    struct Requested: Decodable {
        let status: String
        let previewCode: String?
    }

    struct User: Decodable, Equatable {
        let id: Int
        let email: String
    }

    struct SignIn: Decodable {
        let accessToken: String
        let tokenType: String
        let refreshToken: String
        let user: User
    }

    struct Tokens: Decodable {
        let accessToken: String
        let refreshToken: String
    }

    struct Status: Decodable {
        let status: String
    }

    struct Mood: Decodable {
        let id: String
        let scale: Int
        let note: String?
        let feltAt: Date
    }

    struct Moods: Decodable {
        let moods: [Mood]
    }

    struct Detail: Decodable {
        let detail: String
    }

    enum Failure: Error, Equatable {
        case refused(Int, String)
        case wait(seconds: Int?)
        case sessionExpired
    }

    let baseURL: String
    private(set) var access: String?
    private(set) var refreshToken: String?
    private(set) var refreshCount = 0

    init(baseURL: String) {
        self.baseURL = baseURL
    }

    func requestOTP(_ phone: String) async throws -> Requested {
        try await send("POST", "/api/auth/otp/request", Request(phone: phone))
    }

    func verifyOTP(_ phone: String, _ code: String) async throws -> SignIn {
        let answer: SignIn = try await send("POST", "/api/auth/verify-otp", Verification(phone: phone, otp: code))
        (access, refreshToken) = (answer.accessToken, answer.refreshToken)
        return answer
    }

    /// What a client has whose access token has ended.
    func spoilAccess(_ token: String = "spoiled") { access = token }

    func moods() async throws -> Moods { try await authorized("GET", "/api/moods", nil as [String: Int]?) }

    func noteMood(_ scale: Int) async throws -> Mood { try await authorized("POST", "/api/moods", ["scale": scale]) }

    func logout() async throws -> Status {
        let answer: Status = try await send("POST", "/api/auth/logout", ["refresh_token": refreshToken ?? ""])
        (access, refreshToken) = (nil, nil)
        return answer
    }

    private func authorized<Value: Decodable & Sendable>(
        _ method: String, _ path: String, _ body: (some Encodable & Sendable)?
    ) async throws -> Value {
        do {
            return try await send(method, path, body, access)
        } catch Failure.refused(401, _) {
            do {
                refreshCount += 1
                let new: Tokens = try await send("POST", "/api/auth/refresh", ["old_refresh_token": refreshToken ?? ""])
                (access, refreshToken) = (new.accessToken, new.refreshToken)
            } catch {
                (access, refreshToken) = (nil, nil)
                throw Failure.sessionExpired
            }
            return try await send(method, path, body, access)
        }
    }

    private func send<Value: Decodable>(
        _ method: String, _ path: String, _ body: (some Encodable & Sendable)?, _ token: String? = nil
    ) async throws -> Value {
        guard let url = URL(string: baseURL + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONEncoder().encode(body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        switch response.statusCode {
        case 200...299: return try decoder.decode(Value.self, from: data)
        case 429: throw Failure.wait(seconds: response.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init))
        default:
            throw Failure.refused(response.statusCode, try decoder.decode(Detail.self, from: data).detail)
        }
    }
}
