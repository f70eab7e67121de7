import Identity
import Media
import Rooms
import Store
import Transport
import Wire

/// Why a request failed, in the form for its sender.
struct APIError: Error, Sendable {
    let status: Int
    /// The kind of the error for programs, from the same table as the codes of events.
    let code: String
    /// A sentence for users.
    let message: String
    /// JSON, or empty.
    var details: [UInt8] = []
    var headers: [(String, String)] = []
    /// What the client can do about it, for groups whose failures say so.
    var guidance: String?
    /// The limit that refused the request.
    var reading: RateReading?
    /// What was wrong with an uploaded file.
    var file: FileFault?
    /// Whether what was asked for may have been done nevertheless: the store has failed, and not refused it.
    var mayBeDone = false

    init(_ status: Int, _ code: RoomError.Code, _ message: String) {
        self.init(status, code.rawValue, message)
    }

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func forbidden(_ message: String) -> APIError { APIError(403, .forbidden, message) }
    static func notFound(_ kind: String) -> APIError { APIError(404, .notFound, "There is no such \(kind).") }

    /// The request cannot be read at all.
    static func malformed(_ message: String) -> APIError { APIError(400, .validation, message) }

    /// The first wrong field of a body or a query.
    static func invalid(_ field: String, _ what: String) -> APIError {
        APIError(422, .validation, "\(field) \(what)").at(field)
    }

    static let incompleteProfile = forbidden("Complete your profile first (POST /api/auth/complete-profile).")

    static func conflict(_ message: String) -> APIError { APIError(409, .conflict, message) }

    static func unavailable(_ message: String) -> APIError {
        var error = APIError(503, .server, message)
        error.headers = [("Retry-After", "1")]
        return error
    }

    /// Names the wrong field.
    func at(_ field: String) -> APIError {
        var error = self
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("field", field)
            json.endObject()
        }
        return error
    }

    var reply: APIReply {
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.member("error", message)
            json.member("code", code)
            if !details.isEmpty { json.member("details", raw: details.span) }
            json.endObject()
        }
        return APIReply(status: status, headers: headers, body: body)
    }
}

// MARK: - Of what others say

extension APIError {
    init(_ error: StoreError) {
        switch error {
        case .notFound(let kind): self = .notFound(kind)
        case .taken(let field): self = APIError.conflict(error.description).at(field)
        case .conflict(let sentence): self = .conflict(sentence)
        case .ended: self = APIError(TokenError(.ended))
        case .badCursor: self = .invalid("cursor", "is not one that was given out.")
        case .overloaded: self = .unavailable("The server is overloaded; try again in a moment.")
        // Faults of the disk are for the operator, not for the client.
        default: self = .unavailable("The server cannot reach its store at the moment.")
        }
        mayBeDone = error.isOfStorage
    }

    init(_ error: MediaError) {
        let code: RoomError.Code =
            switch error.httpStatus {
            case 413: .payloadTooLarge
            case 500...: .server
            default: .validation
            }
        self.init(error.httpStatus, code, error.reason)
        if case .noFile(let field, _) = error { self = at(field) }
        file = FileFault(error: error)
    }

    init(_ error: TokenError) {
        if error.kind == .keysUnavailable {
            self.init(503, error.code, error.message)
            headers = [("Retry-After", "5")]
        } else {
            self = .unauthorized(error.code, error.message)
        }
    }

    static func unauthorized(_ code: String, _ message: String) -> APIError {
        var error = APIError(401, RoomError.Code.unauthorized, message)
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("reason", code)
            json.endObject()
        }
        error.headers = [("WWW-Authenticate", "Bearer")]
        return error
    }

    init(_ error: RoomError) {
        let status =
            switch error.code {
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .validation: 422
            case .conflict, .roomFull: 409
            case .rateLimited: 429
            case .payloadTooLarge: 413
            case .server, .shuttingDown: 503
            }
        self.init(status, error.code, error.message)
        details = error.details
        if status == 503 { headers = [("Retry-After", "1")] }
    }
}
