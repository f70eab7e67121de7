/// The parsed text of a Socket.IO packet: every range points into that text.
///
/// The outside of the payload is checked (an array or an object where the type needs one, and a permitted event name).
/// Its inside is not: code that relays or reads it runs the JSON scanner over `payload`.
public struct SocketPacketHead: Equatable, Sendable {
    public var type: SocketPacketType
    /// How many binary messages belong to this packet and follow it.
    public var attachments = 0
    /// The name with its leading slash and without a query; nil is the default namespace.
    public var namespace: Range<Int>?
    /// What stands behind a `?` in the namespace.
    public var query: Range<Int>?
    /// In an event: an answer is wanted under this number. In an ack: the number of the event that it answers.
    public var ackID: UInt64?
    /// The JSON text, empty where there is none.
    public var payload: Range<Int> = 0..<0
    /// An event's name without its quotes; empty in other packets.
    public var eventName: Range<Int> = 0..<0
    public var eventNameForm: EventNameForm = .plain
    /// What stands in the payload's brackets, in events without the name and its comma. Can be empty.
    public var arguments: Range<Int> = 0..<0

    public enum EventNameForm: Sendable {
        /// The bytes in `eventName` are the name.
        case plain
        /// They hold escapes: see `SocketPacketHead.unescapedEventName`.
        case escaped
        /// The name is a number and stands there as one, without quotes.
        case number
    }

    public init(type: SocketPacketType) { self.type = type }
}

/// Why a text is not a packet. The connection has to be closed, because later messages may be out of step.
public enum SocketPacketError: Error, Equatable, Sendable {
    case empty
    case unknownType
    /// No plain number with a hyphen where the count of attachments belongs.
    case badAttachments
    case tooManyAttachments
    /// A control character in a namespace. It would come back in answers, and part them in polling payloads.
    case badNamespace
    case namespaceTooLong
    /// Leading zeros, more than 2^53 - 1, or none in an ack.
    case badAckID
    /// Not the kind of JSON value that this type carries.
    case badPayload
    /// An event name that clients and servers keep for themselves.
    case reservedEventName
}
