/// Why a connection must be failed: the code of the close frame that says so to the peer, and a reason for it and for
/// the log.
public struct WebSocketError: Error, Equatable, Sendable {
    public let closeCode: UInt16
    public let reason: String

    public init(closeCode: UInt16, reason: String) {
        self.closeCode = closeCode
        self.reason = reason
    }

    static func protocolError(_ reason: String) -> WebSocketError {
        WebSocketError(closeCode: WebSocketCloseCode.protocolError, reason: reason)
    }

    static func invalidData(_ reason: String) -> WebSocketError {
        WebSocketError(closeCode: WebSocketCloseCode.invalidData, reason: reason)
    }

    static func policyViolation(_ reason: String) -> WebSocketError {
        WebSocketError(closeCode: WebSocketCloseCode.policyViolation, reason: reason)
    }

    static func messageTooBig(_ reason: String) -> WebSocketError {
        WebSocketError(closeCode: WebSocketCloseCode.messageTooBig, reason: reason)
    }
}
