import Wire

/// An answer as it came over the wire.
struct TestResponse {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// All headers of this name, joined as HTTP allows.
    subscript(name: String) -> String? {
        let found = headers.filter { $0.name == name.lowercased() }.map(\.value)
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }
}

extension TestConnection {
    func request(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws -> TestResponse {
        try writeRequest(method, target, headers, body: body)
        return try readResponse(hasBody: method != "HEAD")
    }

    func writeRequest(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], body: [UInt8]? = nil
    ) throws {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        if !headers.contains(where: { $0.0 == "Host" }) { head += "Host: localhost\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try write(Array((head + "\r\n").utf8) + (body ?? []))
    }

    func readResponse(hasBody: Bool = true) throws -> TestResponse {
        guard let head = try readHead() else {
            throw TestFailure(description: "the connection ended before a response")
        }
        let length = hasBody ? head["content-length"].flatMap { Int($0) } ?? 0 : 0
        while buffer.count < length {
            guard try receive() else { throw TestFailure(description: "the connection ended within a response") }
        }
        return TestResponse(status: head.status, headers: head.headers, body: take(length))
    }
}
