import Transport
import Wire

/// The failures that the guide of the applications prints.
extension APIError {
    /// - Parameter details: the members of an object.
    static func mueJam(
        _ status: Int, _ code: String, _ message: String, guidance: String? = nil,
        _ details: (inout JSONWriter) -> Void
    ) -> APIError {
        var error = APIError(status, code, message)
        error.guidance = guidance
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            details(&json)
            json.endObject()
        }
        return error
    }

    static func wrongClientType(_ provided: String) -> APIError {
        let allowed = ClientKind.allCases.map(\.rawValue)
        return mueJam(
            422, "INVALID_CLIENT_TYPE", "Invalid client type. Must be one of: \(allowed.joined(separator: ", "))"
        ) { json in
            json.member("provided", String(provided.prefix(64)))
            json.texts("allowed", allowed)
        }
    }

    static func tokenExpired(at time: Int64?) -> APIError {
        var error = mueJam(
            401, "TOKEN_EXPIRED", "Your authentication token has expired. Please refresh your token.",
            guidance: "Refresh your authentication token and retry the request"
        ) { json in
            if let time { json.member("expired_at", UTCTime.text(time)) }
            json.member("refresh_endpoint", "/v1/auth/refresh")
        }
        error.headers = [("WWW-Authenticate", "Bearer")]
        return error
    }

    static func rateLimitExceeded(_ reading: RateReading, _ headers: [(String, String)]) -> APIError {
        let seconds = (reading.waitMilliseconds + 999) / 1_000
        var error = mueJam(
            429, "RATE_LIMIT_EXCEEDED", "Too many requests. Please wait before trying again.",
            guidance: "Wait \(seconds) seconds before retrying"
        ) { json in
            json.member("limit", reading.limit)
            json.member("window", "1 minute")
            json.member("retry_after", seconds)
        }
        error.headers = headers
        return error
    }
}

extension JSONWriter {
    /// A failure as the clients know it.
    mutating func mueJamFailure(_ error: APIError) {
        beginObject()
        member("code", error.code)
        member("message", error.message)
        if !error.details.isEmpty { member("details", raw: error.details.span) }
        if let guidance = error.guidance { member("retry_guidance", guidance) }
        endObject()
    }

    mutating func texts(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
