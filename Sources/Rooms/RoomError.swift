/// The reason why an event was refused, in the form in which its sender gets it.
package struct RoomError: Error, Equatable, Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case unauthorized = "UNAUTHORIZED"
        case forbidden = "FORBIDDEN"
        case notFound = "NOT_FOUND"
        case validation = "VALIDATION_ERROR"
        case conflict = "CONFLICT"
        case rateLimited = "RATE_LIMITED"
        case roomFull = "ROOM_FULL"
        case payloadTooLarge = "PAYLOAD_TOO_LARGE"
        case server = "SERVER_ERROR"
        case shuttingDown = "SHUTTING_DOWN"
    }

    package let code: Code
    package let message: String
    /// JSON, or empty.
    package let details: [UInt8]

    package init(_ code: Code, _ message: String, details: [UInt8] = []) {
        self.code = code
        self.message = message
        self.details = details
    }
}
