/// Writes the text of Socket.IO packets. The caller sends attachments, in order, right after the text.
///
/// `namespace` is the name with its slash; empty or `/` is the default one. `arguments` is JSON without the brackets,
/// as in `SocketPacketHead.arguments`, so that received arguments can be sent on unread.
public enum SocketPacketWriter {
    /// Everything before the payload. With `attachments` an event or ack becomes a binary one.
    @inlinable
    public static func appendHead(
        _ type: SocketPacketType, attachments: Int = 0, namespace: [UInt8] = [], ackID: UInt64? = nil,
        to output: inout [UInt8]
    ) {
        output.append(attachments == 0 ? type.digit : binary(type).digit)
        if attachments > 0 || type.isBinary {
            DecimalInteger.append(attachments, to: &output)
            output.append(0x2D)
        }
        if namespace.count > 1 {
            output.append(contentsOf: namespace)
            output.append(0x2C)
        }
        if let ackID {
            precondition(ackID <= SocketLimits.ackIDMax, "An ack id beyond what clients can hold.")
            DecimalInteger.append(Int(ackID), to: &output)
        }
    }

    @usableFromInline
    static func binary(_ type: SocketPacketType) -> SocketPacketType {
        switch type {
        case .event, .binaryEvent: return .binaryEvent
        case .ack, .binaryAck: return .binaryAck
        default: preconditionFailure("Only events and acks have attachments.")
        }
    }

    public static func appendEvent(
        _ name: String, arguments: Span<UInt8>, attachments: Int = 0, namespace: [UInt8] = [],
        ackID: UInt64? = nil, to output: inout [UInt8]
    ) {
        appendHead(.event, attachments: attachments, namespace: namespace, ackID: ackID, to: &output)
        output.append(UInt8(ascii: "["))
        output.appendJSONString(name.utf8.span)
        if arguments.count > 0 {
            output.append(UInt8(ascii: ","))
            append(arguments, to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    public static func appendAck(
        _ id: UInt64, arguments: Span<UInt8>, attachments: Int = 0, namespace: [UInt8] = [],
        to output: inout [UInt8]
    ) {
        appendHead(.ack, attachments: attachments, namespace: namespace, ackID: id, to: &output)
        output.append(UInt8(ascii: "["))
        append(arguments, to: &output)
        output.append(UInt8(ascii: "]"))
    }

    /// The server's answer to CONNECT. Version 4 says no more than that; in version 5 the answer tells the socket's
    /// own id and, where its state can be recovered, the private one by which its client may claim it.
    public static func appendConnected(
        sid: String, pid: String? = nil, version: SocketVersion, namespace: [UInt8] = [], to output: inout [UInt8]
    ) {
        appendHead(.connect, namespace: namespace, to: &output)
        guard version == .v5 else { return }
        output.append(contentsOf: "{\"sid\":".utf8)
        output.appendJSONString(sid.utf8.span)
        if let pid {
            output.append(contentsOf: ",\"pid\":".utf8)
            output.appendJSONString(pid.utf8.span)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// A client's CONNECT: with an object of JSON in version 5, with a query in version 4; either may be empty.
    public static func appendConnect(
        payload: Span<UInt8>, version: SocketVersion, namespace: [UInt8] = [], to output: inout [UInt8]
    ) {
        guard version == .v4, payload.count > 0 else {
            appendHead(.connect, namespace: namespace, to: &output)
            return append(payload, to: &output)
        }
        output.append(SocketPacketType.connect.digit)
        output.append(contentsOf: namespace.isEmpty ? [UInt8(ascii: "/")] : namespace)
        output.append(UInt8(ascii: "?"))
        append(payload, to: &output)
        output.append(UInt8(ascii: ","))
    }

    /// The server's refusal. `data` is JSON, or empty. Version 4 has room for one of the two: the data if there is any.
    public static func appendConnectError(
        _ message: String, data: Span<UInt8>, version: SocketVersion, namespace: [UInt8] = [],
        to output: inout [UInt8]
    ) {
        appendHead(.connectError, namespace: namespace, to: &output)
        if version == .v4 {
            return data.count > 0 ? append(data, to: &output) : output.appendJSONString(message.utf8.span)
        }
        output.append(contentsOf: "{\"message\":".utf8)
        output.appendJSONString(message.utf8.span)
        if data.count > 0 {
            output.append(contentsOf: ",\"data\":".utf8)
            append(data, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    public static func appendDisconnect(namespace: [UInt8] = [], to output: inout [UInt8]) {
        appendHead(.disconnect, namespace: namespace, to: &output)
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }
}
