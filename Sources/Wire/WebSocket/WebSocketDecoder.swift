/// Bytes of a connection in, messages out (RFC 6455, permessage-deflate of RFC 7692), for either side.
///
/// The owner reads into a buffer that all its connections share and calls `next` until it answers `needMore`; then
/// everything in the buffer is consumed and what is partial is kept here. A message that lies whole in the buffer is
/// unmasked where it is and never copied. What is kept grows with what has arrived, never with what a length announces;
/// between messages the decoder holds no heap memory, unless the peer's compression keeps its context.
public struct WebSocketDecoder: ~Copyable {
    private let limits: WebSocketLimits
    /// Nil: no compression was negotiated, and a frame that claims to be compressed breaks the rules.
    var inflation: WebSocketInflation?
    private let expectsMask: Bool
    private var isFinished = false

    // The header being read, when it came in pieces.
    private var headerCount = 0
    private var headerBytes = InlineArray<14, UInt8>(repeating: 0)

    // The frame whose payload is being read.
    private var frameIsOpen = false
    private var frameFirst: UInt8 = 0
    private var frameKey: UInt32 = 0
    private var frameMissing = 0

    // The message that is begun: `messageOpcode` is that of its first frame, 0 between messages.
    private var messageOpcode: UInt8 = 0
    private var messageIsCompressed = false
    private var messageFragments = 0
    private var validator = UTF8Validator()
    private var message: [UInt8] = []

    /// A control frame in pieces. It has a place of its own because it may come in the middle of a message.
    private var control: [UInt8] = []

    private enum Delivered { case nothing, message, control }
    private var delivered = Delivered.nothing

    public init(role: Role, limits: WebSocketLimits) {
        self.limits = limits
        expectsMask = role == .server
    }

    /// With the outcome of a negotiation; `context` is the one of this connection's loop.
    public init(role: Role, limits: WebSocketLimits, deflate: PerMessageDeflate?, context: DeflateContext) {
        self.init(role: role, limits: limits)
        if let deflate {
            let keepsContext = role == .server ? !deflate.clientNoContextTakeover : !deflate.serverNoContextTakeover
            inflation = WebSocketInflation(context: context, keepsContext: keepsContext)
        }
    }

    /// The payload of the event that was just returned as `assembled`.
    public var assembled: [UInt8] {
        switch delivered {
        case .nothing: []
        case .message: message
        case .control: control
        }
    }

    /// Whether a message or a frame is begun and not ended: what an idle time-out may want to know.
    public var isMidMessage: Bool { frameIsOpen || headerCount > 0 || messageOpcode != 0 }

    /// Consumes `buffer` from `offset` on, up to the end of the next message or control frame, and moves `offset`
    /// behind it. After an error, as after a close frame, the decoder is spent and skips whatever comes.
    public mutating func next(
        _ buffer: inout MutableSpan<UInt8>, offset: inout Int
    ) throws(WebSocketError) -> Event {
        precondition(offset >= 0 && offset <= buffer.count, "the offset lies in the buffer")
        if delivered != .nothing { releaseDelivered() }
        if isFinished {
            offset = buffer.count
            return .needMore
        }
        do throws(WebSocketError) {
            return try advance(&buffer, &offset)
        } catch {
            finish()
            offset = buffer.count
            throw error
        }
    }

    private mutating func advance(
        _ buffer: inout MutableSpan<UInt8>, _ offset: inout Int
    ) throws(WebSocketError) -> Event {
        if isResting, let whole = wholeMessage(in: buffer.span.bytes, at: offset) {
            return try readWhole(whole, &buffer, &offset)
        }
        while true {
            if !frameIsOpen {
                guard try readHeader(buffer.span.bytes, &offset) else { return .needMore }
            }
            if let event = try readPayload(&buffer, &offset) { return event }
            if frameIsOpen { return .needMore }
        }
    }

    private var isResting: Bool { !frameIsOpen && headerCount == 0 && messageOpcode == 0 }

    private mutating func releaseDelivered() {
        if delivered == .message { message = [] } else { control = [] }
        delivered = .nothing
    }

    private mutating func finish() {
        isFinished = true
        message = []
        control = []
        inflation = nil
    }
}

// MARK: - The common case

extension WebSocketDecoder {
    private struct WholeMessage {
        let isText: Bool
        let maskKey: UInt32
        let range: Range<Int>
    }

    /// Between messages: one uncompressed message in one frame, all of it in the buffer. It needs no state. Nil for
    /// anything else, also for whatever is wrong.
    @inline(__always) private func wholeMessage(in bytes: RawSpan, at offset: Int) -> WholeMessage? {
        let available = bytes.byteCount &- offset
        guard available >= 2 else { return nil }
        let second = bytes.unsafeLoad(fromByteOffset: offset &+ 1, as: UInt8.self)
        let headerLength = WebSocketFrameHeader.length(second: second)
        guard available >= headerLength, (second & 0x80 != 0) == expectsMask else { return nil }
        let header = WebSocketFrameHeader(bytes, at: offset)
        guard header.first == 0x81 || header.first == 0x82, let length = header.payloadLength,
            length <= available &- headerLength, length <= limits.frameBytesMax, length <= limits.messageBytesMax
        else { return nil }
        let start = offset &+ headerLength
        return WholeMessage(
            isText: header.first == 0x81, maskKey: header.maskKey, range: start..<start &+ length)
    }

    @inline(__always) private func readWhole(
        _ message: WholeMessage, _ buffer: inout MutableSpan<UInt8>, _ offset: inout Int
    ) throws(WebSocketError) -> Event {
        let isASCII = expectsMask && WebSocketMask.apply(message.maskKey, to: &buffer, in: message.range)
        if message.isText && !isASCII && !UTF8Validator.isValid(buffer.span.extracting(message.range)) {
            throw .invalidData("text is not UTF-8")
        }
        offset = message.range.upperBound
        return message.isText ? .text(.input(message.range)) : .binary(.input(message.range))
    }
}

// MARK: - Headers

extension WebSocketDecoder {
    /// False: the bytes end before the header does; they are kept.
    private mutating func readHeader(_ bytes: RawSpan, _ offset: inout Int) throws(WebSocketError) -> Bool {
        let available = bytes.byteCount &- offset
        if headerCount == 0 && available >= 2 {
            let second = bytes.unsafeLoad(fromByteOffset: offset &+ 1, as: UInt8.self)
            let length = WebSocketFrameHeader.length(second: second)
            if available >= length {
                let header = WebSocketFrameHeader(bytes, at: offset)
                try check(first: header.first, second: second)
                offset &+= length
                try begin(header)
                return true
            }
        }
        return try readHeaderByByte(bytes, &offset)
    }

    /// The two bytes that can be wrong by themselves are judged as soon as they are there.
    private mutating func readHeaderByByte(_ bytes: RawSpan, _ offset: inout Int) throws(WebSocketError) -> Bool {
        while offset < bytes.byteCount {
            headerBytes[headerCount] = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            headerCount += 1
            offset += 1
            if headerCount == 2 { try check(first: headerBytes[0], second: headerBytes[1]) }
            if headerCount >= 2 && headerCount == WebSocketFrameHeader.length(second: headerBytes[1]) {
                headerCount = 0
                try begin(WebSocketFrameHeader(headerBytes.span.bytes, at: 0))
                return true
            }
        }
        return false
    }

    private mutating func check(first: UInt8, second: UInt8) throws(WebSocketError) {
        let opcode = first & 0x0F
        if (second & 0x80 != 0) != expectsMask {
            throw .protocolError(expectsMask ? "frame without a mask" : "frame with a mask")
        }
        if first & 0x70 != 0 {
            let isCompressedStart = first & 0x70 == 0x40 && inflation != nil && (opcode == 1 || opcode == 2)
            guard isCompressedStart else { throw .protocolError("reserved bit set") }
        }
        switch opcode {
        case 1, 2:
            guard messageOpcode == 0 else { throw .protocolError("new message inside a fragmented one") }
        case 0:
            guard messageOpcode != 0 else { throw .protocolError("continuation of nothing") }
        case 8, 9, 10:
            guard first & 0x80 != 0 else { throw .protocolError("fragmented control frame") }
            guard second & 0x7F <= 125 else { throw .protocolError("control frame over 125 bytes") }
        default:
            throw .protocolError("reserved opcode")
        }
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketError) {
        guard let length = header.payloadLength else { throw .protocolError("payload length badly encoded") }
        let opcode = header.first & 0x0F
        if opcode < 8 {
            guard length <= limits.frameBytesMax else { throw .messageTooBig("frame too big") }
            guard length <= limits.messageBytesMax &- message.count else { throw .messageTooBig("message too big") }
            if opcode != 0 {
                messageOpcode = opcode
                messageIsCompressed = header.first & 0x40 != 0
            }
            messageFragments &+= 1
            guard messageFragments <= limits.fragmentsMax else { throw .policyViolation("too many fragments") }
        }
        frameFirst = header.first
        frameKey = header.maskKey
        frameMissing = length
        frameIsOpen = true
    }
}

// MARK: - Payloads

extension WebSocketDecoder {
    /// Nil: the frame is not whole yet (it stays open), or it was a fragment that ends no message.
    private mutating func readPayload(
        _ buffer: inout MutableSpan<UInt8>, _ offset: inout Int
    ) throws(WebSocketError) -> Event? {
        let count = min(frameMissing, buffer.count &- offset)
        let range = offset..<offset &+ count
        if expectsMask {
            WebSocketMask.apply(frameKey, to: &buffer, in: range)
            frameKey = WebSocketMask.advance(frameKey, by: count)
        }
        offset = range.upperBound
        frameMissing &-= count
        frameIsOpen = frameMissing != 0
        if frameFirst & 0x08 != 0 { return try readControl(buffer.span, range) }
        if messageIsCompressed { return try readCompressed(buffer.span, range) }
        return try readData(buffer.span, range)
    }

    private mutating func readData(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WebSocketError) -> Event? {
        let isText = messageOpcode == WebSocketOpcode.text.rawValue
        if isText {
            guard validator.consume(bytes.extracting(range)) else { throw .invalidData("text is not UTF-8") }
        }
        let isLast = !frameIsOpen && frameFirst & 0x80 != 0
        if isLast {
            guard validator.isComplete else { throw .invalidData("text ends inside a character") }
            endMessage()
            if message.isEmpty { return isText ? .text(.input(range)) : .binary(.input(range)) }
        }
        message.append(copying: bytes.extracting(range))
        return isLast ? deliverMessage(isText: isText) : nil
    }

    private mutating func readCompressed(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WebSocketError) -> Event? {
        let isLast = !frameIsOpen && frameFirst & 0x80 != 0
        if isLast && message.isEmpty { return try inflateMessage(bytes.extracting(range)) }
        message.append(copying: bytes.extracting(range))
        guard isLast else { return nil }
        let compressed = message
        message = []
        return try inflateMessage(compressed.span)
    }

    private mutating func inflateMessage(_ compressed: Span<UInt8>) throws(WebSocketError) -> Event {
        let isText = messageOpcode == WebSocketOpcode.text.rawValue
        guard let inflated = try inflation?.inflate(compressed, bytesMax: limits.messageBytesMax) else {
            preconditionFailure("a compressed message is begun only when compression is negotiated")
        }
        if isText && !UTF8Validator.isValid(inflated.span) { throw .invalidData("text is not UTF-8") }
        endMessage()
        message = inflated
        return deliverMessage(isText: isText)
    }

    private mutating func endMessage() {
        messageOpcode = 0
        messageIsCompressed = false
        messageFragments = 0
    }

    private mutating func deliverMessage(isText: Bool) -> Event {
        delivered = .message
        return isText ? .text(.assembled) : .binary(.assembled)
    }

    private mutating func readControl(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WebSocketError) -> Event? {
        if frameIsOpen || !control.isEmpty {
            control.append(copying: bytes.extracting(range))
            if frameIsOpen { return nil }
            delivered = .control
        }
        let payload = control.isEmpty ? Payload.input(range) : .assembled
        switch frameFirst & 0x0F {
        case WebSocketOpcode.ping.rawValue: return .ping(payload)
        case WebSocketOpcode.pong.rawValue: return .pong(payload)
        default: return try readClose(bytes, range)
        }
    }

    private mutating func readClose(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WebSocketError) -> Event {
        if control.isEmpty {
            let code = try closeCode(bytes.extracting(range))
            finish()
            return .close(code: code, reason: .input(code == nil ? range : range.lowerBound &+ 2..<range.upperBound))
        }
        let code = try closeCode(control.span)
        let reason = Array(control.dropFirst(2))
        finish()
        control = reason
        delivered = .control
        return .close(code: code, reason: .assembled)
    }

    /// Nil where the peer gave none.
    private func closeCode(_ payload: Span<UInt8>) throws(WebSocketError) -> UInt16? {
        if payload.isEmpty { return nil }
        guard payload.count >= 2 else { throw .protocolError("close payload of one byte") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.isValidOnTheWire(code) else { throw .protocolError("close code not allowed") }
        guard UTF8Validator.isValid(payload.extracting(2..<payload.count)) else {
            throw .invalidData("close reason is not UTF-8")
        }
        return code
    }
}

extension [UInt8] {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
