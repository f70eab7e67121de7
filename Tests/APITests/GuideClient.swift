import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an application of the guide decodes, field for field.
struct GuideUser: Codable, Equatable {
    let id: String
    let auth0Id: String
    let email: String
    let username: String
    let firstName: String
    let dateOfBirth: Date
    let avatarUrl: String?
    let createdAt: Date
}

struct GuideRoom: Codable, Equatable {
    let id: String
    let name: String?
    let createdBy: String
    let creator: GuideUser
    let createdAt: Date
    let updatedAt: Date
    let isActive: Bool
    let participants: [GuideParticipant]
}

struct GuideParticipant: Codable, Equatable {
    let roomId: String
    let userId: String
    let user: GuideUser
    let joinedAt: Date
    let leftAt: Date?
    let color: String
    let isActive: Bool
}

struct GuidePerson: Codable {
    let id: String
    let username: String
    let firstName: String
    let email: String
    let avatarUrl: String?
    let rooms: [GuideSummary]
}

struct GuideSummary: Codable {
    let id: String
    let name: String?
    let createdAt: Date
    let updatedAt: Date
    let isActive: Bool
    let elementCount: Int
}

struct GuideVerification: Codable {
    let profileComplete: Bool
    let user: GuideUser?
}

struct GuideSuccess: Codable {
    let success: Bool
}

/// A client as the guide has it: every answer is under `data`, every failure under `error`, times are strictly ISO 8601.
struct GuideClient: Sendable {
    struct Failure: Error, Equatable {
        let status: Int
        let message: String
    }

    private struct Success<Value: Decodable>: Decodable {
        let data: Value
    }

    private struct Refusal: Decodable {
        let error: String
    }

    let server: String
    let token: String

    func call<Value: Decodable & Sendable>(
        _ method: String, _ path: String, _ body: [String: String]? = nil, as type: Value.Type = Value.self
    ) async throws -> Value {
        guard let url = URL(string: server + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.httpBody = try body.map { try JSONEncoder().encode($0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200...299).contains(status) else {
            throw Failure(status: status, message: try decoder.decode(Refusal.self, from: data).error)
        }
        return try decoder.decode(Success<Value>.self, from: data).data
    }

    func completeProfile(_ username: String) async throws -> GuideUser {
        try await call(
            "POST", "/api/auth/complete-profile",
            [
                "username": username, "firstName": "Ann",
                "dateOfBirth": ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: -1_000_000)),
                "avatarUrl": "https://example.com/a.jpg",
            ])
    }
}
