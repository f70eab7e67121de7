/// A packet that is alone in a WebSocket message, as a view of that message's bytes.
///
/// Reading copies nothing. Writing neither: what precedes a packet's data is a byte at most, which the sender puts
/// in front when it frames the message.
public struct EngineFrame: Equatable, Sendable {
    public var type: EnginePacketType
    public var coding: Coding
    /// Where the data stands in the message.
    public var data: Range<Int>

    /// The meaning of the bytes in `data`.
    public enum Coding: Sendable {
        case text
        case binary
        /// Binary data in a text message, from clients that cannot send binary ones (`b64=1`).
        case base64
    }

    public enum Failure: Error, Equatable, Sendable {
        case empty
        case unknownType
        /// Only messages carry binary data.
        case binaryNotMessage
    }

    @inlinable
    public init(type: EnginePacketType, coding: Coding, data: Range<Int>) {
        self.type = type
        self.coding = coding
        self.data = data
    }
}

extension EngineFrame {
    /// Reads the packet in a WebSocket text message, whose UTF-8 its receiver has checked.
    @inlinable
    public static func decode(text: Span<UInt8>, version: EngineVersion) throws(Failure) -> EngineFrame {
        guard text.count > 0 else { throw .empty }
        let first = text[0]
        if let type = EnginePacketType(digit: first) {
            return EngineFrame(type: type, coding: .text, data: 1..<text.count)
        }
        guard first == base64Mark else { throw .unknownType }
        return try decodeBase64(text, version: version)
    }

    /// Version 4 knows base64 for messages alone and writes no type; version 3 writes one.
    @usableFromInline
    static func decodeBase64(_ text: Span<UInt8>, version: EngineVersion) throws(Failure) -> EngineFrame {
        if version == .v4 { return EngineFrame(type: .message, coding: .base64, data: 1..<text.count) }
        guard text.count > 1 else { throw .empty }
        guard let type = EnginePacketType(digit: text[1]) else { throw .unknownType }
        guard type == .message else { throw .binaryNotMessage }
        return EngineFrame(type: .message, coding: .base64, data: 2..<text.count)
    }

    /// Reads the packet in a WebSocket binary message: all of it is data in version 4, all but the type in version 3.
    @inlinable
    public static func decode(binary: Span<UInt8>, version: EngineVersion) throws(Failure) -> EngineFrame {
        if version == .v4 { return EngineFrame(type: .message, coding: .binary, data: 0..<binary.count) }
        guard binary.count > 0 else { throw .empty }
        guard let type = EnginePacketType(rawValue: binary[0]) else { throw .unknownType }
        guard type == .message else { throw .binaryNotMessage }
        return EngineFrame(type: .message, coding: .binary, data: 1..<binary.count)
    }

    /// What a sender puts before the data of a binary message sent as a WebSocket binary message, if anything.
    @inlinable
    public static func binaryPrefix(version: EngineVersion) -> UInt8? {
        version == .v3 ? EnginePacketType.message.rawValue : nil
    }

    /// Appends a binary message in the form of a text message, which version 3 sends to clients that asked for it
    /// with `b64=1`, over WebSocket too.
    public static func appendBase64(_ data: Span<UInt8>, version: EngineVersion, to output: inout [UInt8]) {
        output.append(base64Mark)
        if version == .v3 { output.append(EnginePacketType.message.digit) }
        Base64.encode(data, into: &output)
    }

    @usableFromInline static let base64Mark: UInt8 = 0x62
}
