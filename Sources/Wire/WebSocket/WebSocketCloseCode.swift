/// The codes of close frames (RFC 6455, 7.4, and the registry that it founded).
public enum WebSocketCloseCode {
    public static let normal: UInt16 = 1000
    public static let goingAway: UInt16 = 1001
    public static let protocolError: UInt16 = 1002
    public static let unsupportedData: UInt16 = 1003
    public static let invalidData: UInt16 = 1007
    public static let policyViolation: UInt16 = 1008
    public static let messageTooBig: UInt16 = 1009
    public static let missingExtension: UInt16 = 1010
    public static let internalError: UInt16 = 1011
    public static let serviceRestart: UInt16 = 1012
    public static let tryAgainLater: UInt16 = 1013
    public static let badGateway: UInt16 = 1014

    /// Whether a peer may send `code`. 1004 is reserved. 1005, 1006 and 1015 are never sent. Codes from 1016 to 2999
    /// are not assigned. Libraries and applications choose codes from 3000 on.
    public static func isValidOnTheWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
