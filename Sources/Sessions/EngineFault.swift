import Transport

/// Why a request for Engine.IO is refused, with the codes of the reference server.
enum EngineFault: Error {
    case unknownTransport
    case unknownSession
    case badHandshakeMethod
    case badRequest
    case forbidden
    case unsupportedVersion
    case draining
    case tooMany(retryAfterMilliseconds: Int)
    /// The server, or the client's address, has as many sessions or connections as it may have.
    case full

    private var parts: (status: Int, code: Int, message: String) {
        switch self {
        case .unknownTransport: (400, 0, "Transport unknown")
        case .unknownSession: (400, 1, "Session ID unknown")
        case .badHandshakeMethod: (400, 2, "Bad handshake method")
        case .badRequest: (400, 3, "Bad request")
        case .forbidden: (403, 4, "Forbidden")
        case .unsupportedVersion: (400, 5, "Unsupported protocol version")
        case .draining: (503, 3, "The server is shutting down")
        case .tooMany: (429, 3, "Too many sessions from this address")
        case .full: (503, 3, "The server has too many sessions or connections")
        }
    }

    var response: (status: Int, headers: [(String, String)], body: [UInt8]) {
        let (status, code, message) = parts
        var headers = [("Content-Type", "application/json")]
        switch self {
        case .draining: headers.append(("Retry-After", "2"))
        case .full: headers.append(("Retry-After", "5"))
        case .tooMany(let wait): headers.append(("Retry-After", String((wait + 999) / 1_000)))
        default: break
        }
        return (status, headers, Array("{\"code\":\(code),\"message\":\"\(message)\"}".utf8))
    }

    func answer(_ exchange: any PollExchange) {
        let (status, headers, body) = response
        exchange.respond(status, headers, body: body)
    }
}
