import Wire

/// What came out of a decoder, with its bytes.
enum Seen: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, [UInt8])
    case failed(UInt16)

    static func text(_ string: String) -> Seen { .text(Array(string.utf8)) }
    static func ping(_ string: String) -> Seen { .ping(Array(string.utf8)) }
    static func pong(_ string: String) -> Seen { .pong(Array(string.utf8)) }
    static func close(_ code: UInt16?, _ reason: String) -> Seen { .close(code, Array(reason.utf8)) }
}

/// A decoder and everything that it has said.
struct DecoderHarness: ~Copyable {
    var decoder: WebSocketDecoder
    var seen: [Seen] = []
    /// How many payloads were handed out where they lay.
    var inPlace = 0

    init(
        role: WebSocketDecoder.Role = .server, limits: WebSocketLimits = WebSocketLimits(),
        deflate: PerMessageDeflate? = nil
    ) {
        if let deflate {
            decoder = WebSocketDecoder(role: role, limits: limits, deflate: deflate, context: DeflateContext())
        } else {
            decoder = WebSocketDecoder(role: role, limits: limits)
        }
    }

    /// One read of the connection.
    mutating func feed(_ piece: some Sequence<UInt8>) {
        var buffer = Array(piece)
        var offset = 0
        while true {
            do throws(WebSocketError) {
                let event = try next(&buffer, &offset)
                if event == .needMore {
                    precondition(offset == buffer.count, "needMore means that all is consumed")
                    return
                }
                seen.append(resolve(event, in: buffer))
            } catch {
                seen.append(.failed(error.closeCode))
            }
        }
    }

    private mutating func next(_ buffer: inout [UInt8], _ offset: inout Int) throws(WebSocketError)
        -> WebSocketDecoder.Event
    {
        var span = buffer.mutableSpan
        return try decoder.next(&span, offset: &offset)
    }

    private mutating func resolve(_ event: WebSocketDecoder.Event, in buffer: [UInt8]) -> Seen {
        switch event {
        case .needMore: preconditionFailure("handled by the caller")
        case .text(let payload): .text(bytes(payload, buffer))
        case .binary(let payload): .binary(bytes(payload, buffer))
        case .ping(let payload): .ping(bytes(payload, buffer))
        case .pong(let payload): .pong(bytes(payload, buffer))
        case .close(let code, let reason): .close(code, bytes(reason, buffer))
        }
    }

    private mutating func bytes(_ payload: WebSocketDecoder.Payload, _ buffer: [UInt8]) -> [UInt8] {
        guard case .input(let range) = payload else { return decoder.assembled }
        inPlace += 1
        return Array(buffer[range])
    }
}

/// All events of `stream`, given in one piece.
func decode(
    _ stream: [UInt8], role: WebSocketDecoder.Role = .server, limits: WebSocketLimits = WebSocketLimits(),
    deflate: PerMessageDeflate? = nil
) -> [Seen] {
    decode([stream], role: role, limits: limits, deflate: deflate)
}

/// All events of a stream that arrives in `pieces`.
func decode(
    _ pieces: [[UInt8]], role: WebSocketDecoder.Role = .server, limits: WebSocketLimits = WebSocketLimits(),
    deflate: PerMessageDeflate? = nil
) -> [Seen] {
    var harness = DecoderHarness(role: role, limits: limits, deflate: deflate)
    for piece in pieces { harness.feed(piece) }
    return harness.seen
}

/// The same stream whole, cut in two at every position, and byte by byte; the events if all agree.
func decodeEveryWay(
    _ stream: [UInt8], role: WebSocketDecoder.Role = .server, limits: WebSocketLimits = WebSocketLimits(),
    deflate: PerMessageDeflate? = nil
) -> [Seen]? {
    let whole = decode(stream, role: role, limits: limits, deflate: deflate)
    let bytewise = decode(stream.map { [$0] }, role: role, limits: limits, deflate: deflate)
    if bytewise != whole { return nil }
    for cut in 0...stream.count {
        let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
        if decode(pieces, role: role, limits: limits, deflate: deflate) != whole { return nil }
    }
    return whole
}

/// One frame as a client sends it.
func clientFrame(
    _ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, compressed: Bool = false, key: UInt32 = 0x3D21_FA37
) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.appendMasked(opcode, payload.span, key: key, fin: fin, compressed: compressed, into: &bytes)
    return bytes
}

func clientFrame(_ opcode: WebSocketOpcode, _ payload: String, fin: Bool = true) -> [UInt8] {
    clientFrame(opcode, Array(payload.utf8), fin: fin)
}

/// One frame as a server sends it.
func serverFrame(_ opcode: WebSocketOpcode, _ payload: [UInt8], fin: Bool = true, compressed: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.append(opcode, payload.span, fin: fin, compressed: compressed, into: &bytes)
    return bytes
}

/// A small deterministic source of numbers, so that a failure can be repeated from its seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
