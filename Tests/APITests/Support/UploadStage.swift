import Configuration
import Foundation
import Identity
import Logging
import RoomsServer
import Store
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server with a data directory of its own, and requests to it.
final class UploadStage: Sendable {
    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: Data

        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
        var data: [String: Any] { json["data"] as? [String: Any] ?? [:] }
        var code: String? { json["code"] as? String }
        var field: String? { (json["details"] as? [String: Any])?["field"] as? String }
    }

    private static let secret = Array("a secret that is long enough for a test".utf8)

    let directory = NSTemporaryDirectory() + "rooms-uploads-" + UUID().uuidString
    let address: String
    private let server: RoomsServer
    private let store: DatabaseStore

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
        var configuration = ServerConfiguration()
        configuration.listen = [.tcp(.loopback, port: 0)]
        configuration.threads = 2
        configuration.data = directory
        configuration.auth = .hs256
        configuration.authSecret = Secret(Self.secret)
        configuration.logLevel = .error
        configuration.rateLimits = false
        configuration.mediaFreeMin = 0
        change(&configuration)
        store = try DatabaseStore(.directory(directory))
        server = try RoomsServer(configuration, Logger(configuration, environment: [:]), store: store)
        address = try #require(server.addresses.first)
    }

    /// What the store has read and written, once that grows no more. A write is counted after its answer.
    func settledCounters(jobsMin: UInt64 = 0) async throws -> StoreCounters {
        var last = store.counters
        for _ in 0..<500 {
            try await Task.sleep(for: .milliseconds(20))
            let next = store.counters
            if next.jobs >= jobsMin, (next.jobs, next.reads) == (last.jobs, last.reads) { return next }
            last = next
        }
        return last
    }

    func stop() {
        server.stop()
        store.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The names of all files that were uploaded, or are being.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: directory + "/media")?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains(".") }
    }

    /// What was refused goes when its last owner lets it go, which may be after the answer.
    func hasNoFiles(_ isMeant: (String) -> Bool = { _ in true }) async throws -> Bool {
        for _ in 0..<1_500 where files.contains(where: isMeant) { try await Task.sleep(for: .milliseconds(20)) }
        return !files.contains(where: isMeant)
    }

    static func token(_ subject: String) -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var token = TestToken(subject: subject, issuedAt: now, expiresAt: now + 600)
        token.email = "\(subject)@example.com"
        return token.signed(secret: secret) ?? ""
    }

    // MARK: Requests

    func ask(
        _ method: String, _ path: String, as subject: String? = "ann", _ headers: [String: String] = [:],
        body: Data? = nil
    ) async throws -> Answer {
        let text = path.hasPrefix("http") ? path : address + path
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        if let subject { request.setValue("Bearer " + Self.token(subject), forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        var names: [String: String] = [:]
        for (name, value) in http.allHeaderFields { names["\(name)".lowercased()] = "\(value)" }
        return Answer(status: http.statusCode, headers: names, body: data)
    }

    func send(_ method: String, _ path: String, as subject: String = "ann", _ json: [String: Any]) async throws
        -> Answer
    {
        let body = try JSONSerialization.data(withJSONObject: json)
        return try await ask(method, path, as: subject, ["Content-Type": "application/json"], body: body)
    }

    /// Completes a user's profile.
    func introduce(_ subject: String) async throws {
        let profile = ["username": subject, "firstName": subject, "dateOfBirth": "1990-01-01"]
        #expect(try await send("POST", "/api/auth/complete-profile", as: subject, profile).status == 200)
    }

    func upload(
        _ kind: String, _ content: [UInt8], as subject: String? = "ann", filename: String = "a.jpg"
    ) async throws -> Answer {
        try await post(kind, Form.part(kind, content, filename: filename) + Form.end, as: subject)
    }

    func post(_ kind: String, _ form: [UInt8], as subject: String? = "ann") async throws -> Answer {
        try await ask(
            "POST", "/api/upload/\(kind)", as: subject, ["Content-Type": "multipart/form-data; boundary=B"],
            body: Data(form))
    }
}

/// Bodies of uploads.
enum Form {
    static let end = Array("--B--\r\n".utf8)

    static func part(_ name: String, _ content: [UInt8], filename: String? = "a.jpg", extra: String = "") -> [UInt8] {
        let file = filename.map { "; filename=\"\($0)\"" } ?? ""
        let head = "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\(extra)\r\n"
        return Array(head.utf8) + content + [13, 10]
    }

    /// Of the tests of the module that works on files.
    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appendingPathComponent("MediaTests/Fixtures/\(name)")))
    }
}
