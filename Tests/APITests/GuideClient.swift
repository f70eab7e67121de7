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

struct GuideAvatar: Decodable {
    let avatarUrl: String
}

struct GuidePhoto: Decodable {
    let imageUrl: String
}

struct GuideAudio: Decodable {
    let audioUrl: String
    let duration: Double
}

struct GuideSuccess: Codable {
    let success: Bool
}

/// The argument of `room:joined`, as far as the guide has models for it.
struct GuideJoined: Decodable {
    let participants: [GuideParticipant]
}

/// The argument of `user:joined`.
struct GuideArrival: Decodable {
    let user: GuideUser
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

    /// As the guide's `MediaUploader` does: the form is put together by hand, and the answer decoded without more ado.
    func upload<Value: Decodable & Sendable>(
        _ kind: String, _ file: Data, name: String, type: String, as _: Value.Type = Value.self
    ) async throws -> Value {
        guard let url = URL(string: "\(server)/api/upload/\(kind)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let boundary = UUID().uuidString
        request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
        var body = Data("--\(boundary)\r\n".utf8)
        body.append(Data("Content-Disposition: form-data; name=\"\(kind)\"; filename=\"\(name)\"\r\n".utf8))
        body.append(Data("Content-Type: \(type)\r\n\r\n".utf8))
        body.append(file)
        body.append(Data("\r\n--\(boundary)--\r\n".utf8))
        request.httpBody = body
        let (data, _) = try await URLSession.shared.data(for: request)
        return try JSONDecoder().decode(Success<Value>.self, from: data).data
    }

    func completeProfile(
        _ username: String, avatarUrl: String? = "https://example.com/a.jpg"
    ) async throws -> GuideUser {
        let fields = [
            "username": username, "firstName": "Ann",
            "dateOfBirth": ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: -1_000_000)),
            "avatarUrl": avatarUrl,
        ]
        return try await call("POST", "/api/auth/complete-profile", fields.compactMapValues { $0 })
    }
}
