/// The body of a polling request or response: several packets in one of three forms.
public enum EnginePayload {
    public enum Form: Sendable, CaseIterable {
        /// Version 4: packets parted by a record separator, binary ones as `b` and base64.
        case separated
        /// Version 3: `<length>:<packet>`, the length in UTF-16 code units, binary ones as `b4` and base64.
        case counted
        /// Version 3 between peers that can do binary: a byte 0 (text) or 1 (binary), the digits of the length in
        /// bytes as one byte each, 0xFF, the packet.
        case framed
    }

    public struct Limits: Sendable {
        /// One body may hold very many short packets, since clients put all that waits into the next request. What
        /// this bounds is the memory per packet beyond its bytes; those are bounded by the size of the body.
        public var packetsMax = 65_536

        public init() {}
    }

    public enum Failure: Error, Equatable, Sendable {
        /// No packet at all, or one without a type.
        case empty
        case unknownType
        case binaryNotMessage
        case notUTF8
        case notBase64
        /// A length that is not a plain number, or that does not end where a character ends.
        case badLength
        /// The body ends before its packet does.
        case truncated
        case tooManyPackets
    }

    /// Reads a whole body. Nothing of a body with a fault in it is delivered.
    public static func decode(
        _ body: Span<UInt8>, form: Form, limits: Limits = Limits()
    ) throws(Failure) -> [EnginePacket] {
        switch form {
        case .separated: return try decodeSeparated(body, limits: limits)
        case .counted: return try decodeCounted(body, limits: limits)
        case .framed: return try decodeFramed(body, limits: limits)
        }
    }

    /// The packet in `range` of a text. `binary` is the type of a packet that begins with `b`.
    static func decodeText(
        _ body: Span<UInt8>, _ range: Range<Int>, version: EngineVersion
    ) throws(Failure) -> EnginePacket {
        let packet = body.extracting(range)
        let frame: EngineFrame
        do {
            frame = try EngineFrame.decode(text: packet, version: version)
        } catch {
            throw Failure(error)
        }
        let data = packet.extracting(frame.data)
        guard frame.coding == .base64 else { return EnginePacket(frame.type, bytes(of: data)) }
        guard let decoded = Base64.decode(data) else { throw .notBase64 }
        return EnginePacket(frame.type, decoded, isBinary: true)
    }

    static func bytes(of span: Span<UInt8>) -> [UInt8] {
        span.withUnsafeBufferPointer { Array($0) }
    }
}

extension EnginePayload.Failure {
    init(_ failure: EngineFrame.Failure) {
        switch failure {
        case .empty: self = .empty
        case .unknownType: self = .unknownType
        case .binaryNotMessage: self = .binaryNotMessage
        }
    }
}

extension EnginePayload.Form {
    /// The form of a request's body. Nil: a version-4 client may not send `application/octet-stream`, whatever its
    /// content, and the request has to be refused.
    ///
    /// The form fields of version 3's JSONP (`d=…`, `application/x-www-form-urlencoded`) are not among these.
    public static func ofRequest(version: EngineVersion, contentType: Span<UInt8>) -> EnginePayload.Form? {
        let isBinary = isOctetStream(contentType)
        switch version {
        case .v4: return isBinary ? nil : .separated
        case .v3: return isBinary ? .framed : .counted
        }
    }

    /// The form of a response's body.
    ///
    /// Version 3 is framed as soon as a packet asks for it (`EnginePayload.wantsFraming`), unless the client said
    /// `b64=1`, which leaves it text only.
    @inlinable
    public static func ofResponse(
        version: EngineVersion, base64Only: Bool, wantsFraming: Bool
    ) -> EnginePayload.Form {
        switch version {
        case .v4: return .separated
        case .v3: return wantsFraming && !base64Only ? .framed : .counted
        }
    }

    /// The media type that a response in this form declares.
    public var contentType: StaticString {
        self == .framed ? "application/octet-stream" : "text/plain; charset=UTF-8"
    }

    private static func isOctetStream(_ contentType: Span<UInt8>) -> Bool {
        var end = 0
        while end < contentType.count, contentType[end] != UInt8(ascii: ";") { end += 1 }
        return ASCII.equalsIgnoringCase(contentType, ASCII.trimmed(contentType, 0..<end), "application/octet-stream")
    }
}

extension EnginePayload {
    /// Whether a packet should go out framed where the client can read that: binary data does, and so does text with
    /// characters outside the basic plane. Of those, JavaScript and Swift clients count two and Python clients one, so
    /// the counted form cannot please both; the framed form counts bytes.
    public static func wantsFraming(_ data: Span<UInt8>, isBinary: Bool) -> Bool {
        if isBinary { return true }
        for index in data.indices where data[index] >= 0xF0 { return true }
        return false
    }
}
