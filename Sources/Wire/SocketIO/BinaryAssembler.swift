/// A packet with its attachments, all there.
public struct AssembledPacket: Equatable, Sendable {
    public var head: SocketPacketHead
    /// The text that the head's ranges point into.
    public var text: [UInt8]
    public var placeholders: [SocketPlaceholder]
    public var attachments: [[UInt8]]
}

/// Puts the binary messages behind a packet's text together with it. Each connection has one.
///
/// Between a text that announces attachments and the last of these nothing but binary messages may come: they have no
/// other way to say which packet they belong to.
public struct BinaryAssembler: Sendable {
    public enum Failure: Error, Equatable, Sendable {
        /// Text while attachments are due.
        case textBetween
        /// A binary message that no packet announced.
        case binaryUnannounced
        case attachmentsTooLarge
        case placeholders(SocketPlaceholder.Failure)
    }

    private let limits: SocketLimits
    private var pending: AssembledPacket?
    private var attachmentBytes = 0

    public init(limits: SocketLimits = SocketLimits()) { self.limits = limits }

    /// Whether attachments are due, so that text would be a fault.
    public var isWaiting: Bool { pending != nil }

    /// Takes a packet with attachments; the answer is the packet if it announced none after all. Packets of the other
    /// types do not pass through here: they need `isWaiting` to be false.
    public mutating func begin(
        _ head: SocketPacketHead, text: [UInt8]
    ) throws(Failure) -> AssembledPacket? {
        precondition(head.type.isBinary, "Only binary packets are assembled.")
        guard pending == nil else { throw .textBetween }
        let placeholders: [SocketPlaceholder]
        do {
            placeholders = try SocketPlaceholder.find(
                in: text.span, payload: head.payload, attachments: head.attachments, limits: limits)
        } catch {
            throw .placeholders(error)
        }
        let packet = AssembledPacket(head: head, text: text, placeholders: placeholders, attachments: [])
        if head.attachments == 0 { return packet }
        pending = packet
        return nil
    }

    /// Takes a binary message; the answer is the whole packet once this was its last.
    public mutating func append(_ attachment: [UInt8]) throws(Failure) -> AssembledPacket? {
        guard var packet = pending.take() else { throw .binaryUnannounced }
        guard attachment.count <= limits.attachmentsBytesMax - attachmentBytes else {
            reset()
            throw .attachmentsTooLarge
        }
        attachmentBytes += attachment.count
        packet.attachments.append(attachment)
        guard packet.attachments.count == packet.head.attachments else {
            pending = packet
            return nil
        }
        reset()
        return packet
    }

    /// Forgets an unfinished packet. For a connection that goes away.
    public mutating func reset() {
        pending = nil
        attachmentBytes = 0
    }
}
