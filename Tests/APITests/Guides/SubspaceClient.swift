import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client of the Subspace guide for iOS: its calls, its models, its errors. Every call is one that the guide has.
///
/// Its decoder reads times as ISO 8601; the guide's reads numbers, and would not read the times that the guide prints.
struct SubspaceClient: Sendable {
    struct User: Codable, Identifiable, Equatable {
        let id: String
        let name: String
        let email: String
        let createdAt: Date
        let updatedAt: Date
    }

    enum MessageKind: String, Codable, CaseIterable {
        case info, warning, error, success
    }

    struct Message: Codable, Identifiable, Equatable {
        let id: String
        let userId: String
        let content: String
        let kind: MessageKind
        let isRead: Bool
        let createdAt: Date
        let updatedAt: Date
    }

    struct AuthResponse: Codable {
        let token: String
        let user: User
    }

    struct PaginatedResponse<Item: Codable>: Codable {
        let data: [Item]
        let total: Int
        let limit: Int
        let offset: Int
    }

    struct UnreadCountResponse: Codable {
        let count: Int
    }

    struct RegisterRequest: Codable {
        let name: String
        let email: String
        let password: String
    }

    struct LoginRequest: Codable {
        let email: String
        let password: String
    }

    struct CreateMessageRequest: Codable {
        let userId: String
        let content: String
        let kind: MessageKind
    }

    struct ErrorResponse: Codable {
        let error: String
    }

    enum APIError: LocalizedError, Equatable {
        case invalidResponse
        case statusCode(Int)
        case serverError(String)

        var errorDescription: String? {
            switch self {
            case .invalidResponse: "The server's answer is not one of HTTP."
            case .statusCode(let status): "The server answered \(status)."
            case .serverError(let words): words
            }
        }
    }

    /// Ends in `/api/v1`.
    let baseURL: String
    private let session: URLSession

    init(baseURL: String) {
        self.baseURL = baseURL
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 30
        configuration.timeoutIntervalForResource = 300
        session = URLSession(configuration: configuration)
    }

    // MARK: Calls

    func register(name: String, email: String, password: String) async throws -> AuthResponse {
        try await send("POST", "/auth/register", RegisterRequest(name: name, email: email, password: password))
    }

    func login(email: String, password: String) async throws -> AuthResponse {
        try await send("POST", "/auth/login", LoginRequest(email: email, password: password))
    }

    func getCurrentUser(token: String) async throws -> User { try await get("/auth/me", token) }

    func getUsers(limit: Int = 20, offset: Int = 0, token: String) async throws -> PaginatedResponse<User> {
        try await get("/users?limit=\(limit)&offset=\(offset)", token)
    }

    func getUser(id: String, token: String) async throws -> User { try await get("/users/\(id)", token) }

    func getUserMessages(
        userId: String, limit: Int = 20, offset: Int = 0, token: String
    ) async throws -> PaginatedResponse<Message> {
        try await get("/users/\(userId)/messages?limit=\(limit)&offset=\(offset)", token)
    }

    func getUnreadCount(userId: String, token: String) async throws -> UnreadCountResponse {
        try await get("/users/\(userId)/messages/unread-count", token)
    }

    func createMessage(
        userId: String, content: String, kind: MessageKind, token: String
    ) async throws -> Message {
        try await send("POST", "/messages", CreateMessageRequest(userId: userId, content: content, kind: kind), token)
    }

    /// As in the guide: without a body and its type, and the answer is not read.
    func markAsRead(messageId: String, token: String) async throws {
        var request = try request("PATCH", "/messages/\(messageId)/read", token)
        request.setValue(nil, forHTTPHeaderField: "Content-Type")
        _ = try await answer(to: request)
    }

    // MARK: HTTP

    private func get<Value: Decodable>(_ path: String, _ token: String) async throws -> Value {
        try decoded(try await answer(to: try request("GET", path, token)))
    }

    private func send<Value: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable, _ token: String? = nil
    ) async throws -> Value {
        var request = try request(method, path, token)
        request.httpBody = try JSONEncoder().encode(body)
        return try decoded(try await answer(to: request))
    }

    private func request(_ method: String, _ path: String, _ token: String?) throws -> URLRequest {
        guard let url = URL(string: baseURL + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }

    private func answer(to request: URLRequest) async throws -> Data {
        let (data, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw APIError.invalidResponse }
        guard (200...299).contains(response.statusCode) else {
            if let refusal = try? JSONDecoder().decode(ErrorResponse.self, from: data) {
                throw APIError.serverError(refusal.error)
            }
            throw APIError.statusCode(response.statusCode)
        }
        return data
    }

    private func decoded<Value: Decodable>(_ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: data)
    }
}
