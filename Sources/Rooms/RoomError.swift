/// Why an event was refused, as its sender is told.
public struct RoomError: Error, Equatable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
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

    public let code: Code
    public let message: String
    /// JSON, or empty.
    public let details: [UInt8]

    public init(_ code: Code, _ message: String, details: [UInt8] = []) {
        self.code = code
        self.message = message
        self.details = details
    }
}
