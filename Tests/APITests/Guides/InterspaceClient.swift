import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client with the models, the headers and the errors of the Interspace guide.
struct InterspaceClient: Sendable {
    struct User: Codable {
        struct Settings: Codable, Equatable {
            let notifications: Bool
            let theme: String
        }

        let id: String
        let email: String
        let profiles: [Profile]
        let settings: Settings
        let createdAt: Date
        let updatedAt: Date
    }

    struct Profile: Codable {
        struct Settings: Codable, Equatable {
            let privacy: String
        }

        let id: String
        let username: String
        let displayName: String
        let bio: String?
        let avatar: String?
        let isDefault: Bool
        let socialAccounts: [SocialAccount]
        let settings: Settings
    }

    enum SocialPlatform: String, Codable {
        case twitter, github
    }

    struct SocialAccount: Codable {
        let id: String
        let platform: SocialPlatform
        let username: String
        let profileUrl: String?
        let verified: Bool
        let connectedAt: Date
    }

    struct App: Codable {
        let id: String
        let name: String
        let icon: String?
        let permissions: [String]
        let connectedAt: Date
    }

    struct SignIn: Codable {
        let accessToken: String
        let refreshToken: String
        let user: User
    }

    struct Tokens: Codable {
        let accessToken: String
        let refreshToken: String
    }

    struct Profiles: Codable {
        let profiles: [Profile]
    }

    struct SocialAccounts: Codable {
        let accounts: [SocialAccount]
    }

    struct Apps: Codable {
        let apps: [App]
    }

    enum WalletType: String, Codable {
        case metamask
    }

    enum BlockchainNetwork: String, Codable {
        case ethereum
    }

    struct Wallet: Codable, Equatable {
        let id: String
        let address: String
        let type: WalletType
        let isPrimary: Bool
        let balance: [String: String]?
        let chain: BlockchainNetwork
    }

    struct Wallets: Codable {
        let wallets: [Wallet]
    }

    /// The guide has the list, and not what is in it.
    struct BatchRequest: Codable {
        let requests: [APIRequest]
    }

    struct APIRequest: Codable {
        let method: String
        let path: String
    }

    struct BatchResponse: Codable {
        struct Response: Codable {
            let status: Int
        }

        let responses: [Response]
    }

    /// The body of a failure.
    struct Refusal: Codable {
        struct Content: Codable {
            let code: String
            let message: String
            let details: [String: String]?
        }

        let error: Content
    }

    enum APIError: Error, Equatable {
        case unauthorized
        case forbidden
        case notFound
        case validationError(String)
        case rateLimited(retryAfter: Int)
        case serverError
        case decodingError
    }

    /// Ends in `/api/v1`.
    let baseURL: String
    var accessToken: String?

    func call<Value: Decodable>(
        _ method: String, _ path: String, _ body: (any Encodable & Sendable)? = nil, as _: Value.Type = Value.self
    ) async throws -> Value {
        let (data, _) = try await answer(method, path, body)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(Value.self, from: data)
        } catch {
            throw APIError.decodingError
        }
    }

    /// For answers without a body, and for those whose headers matter.
    @discardableResult
    func answer(
        _ method: String, _ path: String, _ body: (any Encodable & Sendable)? = nil, known tag: String? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        guard let url = URL(string: baseURL + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        let headers = [
            "Content-Type": "application/json", "Accept": "application/json", "X-App-Version": "1.0.0",
            "X-Platform": "iOS",
            "Authorization": accessToken.map { "Bearer \($0)" }, "If-None-Match": tag,
        ]
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = try body.map { try JSONEncoder().encode($0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw APIError.serverError }
        switch response.statusCode {
        case 200...299, 304: return (data, response)
        case 429:
            throw APIError.rateLimited(retryAfter: Int(response.value(forHTTPHeaderField: "Retry-After") ?? "") ?? 60)
        default: throw Self.error(response.statusCode, data)
        }
    }

    private static func error(_ status: Int, _ data: Data) -> APIError {
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: data) else { return .decodingError }
        return switch (status, refusal.error.code) {
        case (401, "UNAUTHORIZED"): .unauthorized
        case (403, "FORBIDDEN"): .forbidden
        case (404, "NOT_FOUND"): .notFound
        case (400, "VALIDATION_ERROR"): .validationError(refusal.error.message)
        default: .serverError
        }
    }
}
