import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A Socket.IO client over polling that decodes the arguments of events as the guide's models.
actor GuideSocket {
    private let url: String
    private var session = ""
    /// Packets that have come and were not looked at yet.
    private var packets: [String] = []

    init(server: String, token: String) {
        url = "\(server)/socket.io/?EIO=4&transport=polling&token=\(token)"
    }

    func connect() async throws {
        let handshake = try await poll().first.map { Data($0.dropFirst().utf8) } ?? Data()
        let open = try JSONSerialization.jsonObject(with: handshake) as? [String: Any]
        session = "&sid=" + (try #require(open?["sid"] as? String))
        try await post("40/,")
        packets = try await poll()
        #expect(packets.first?.hasPrefix("40{") == true)
        packets.removeFirst()
    }

    func emit(_ event: String, _ argument: [String: String]) async throws {
        let data = try JSONSerialization.data(withJSONObject: [event, argument] as [Any])
        try await post("42" + String(decoding: data, as: UTF8.self))
    }

    /// The next event of this name; what comes before it is dropped.
    func next<Argument: Decodable & Sendable>(_ event: String) async throws -> Argument {
        let start = "42[\"\(event)\","
        while true {
            if packets.isEmpty { packets = try await poll() }
            let packet = packets.removeFirst()
            if packet == "2" { try await post("3") }
            guard packet.hasPrefix(start), packet.hasSuffix("]") else { continue }
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(Argument.self, from: Data(packet.dropFirst(start.count).dropLast().utf8))
        }
    }

    private func poll() async throws -> [String] {
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: url + session)))
        try #require((response as? HTTPURLResponse)?.statusCode == 200)
        return String(decoding: data, as: UTF8.self).split(separator: "\u{1e}").map(String.init)
    }

    private func post(_ packet: String) async throws {
        var request = URLRequest(url: try #require(URL(string: url + session)))
        request.httpMethod = "POST"
        request.httpBody = Data(packet.utf8)
        let (_, response) = try await URLSession.shared.data(for: request)
        try #require((response as? HTTPURLResponse)?.statusCode == 200)
    }
}
