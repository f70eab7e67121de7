import Wire

/// Promised: no input traps; the events of a whole input are those of the same input in pieces; limits are kept; text
/// is UTF-8; what was read, written again, reads as the same. The first byte of an input chooses role and compression,
/// or that the rest is the header in which a client offers compression.
func fuzzWebSocket(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    if choice & 0x80 != 0 { return fuzzOffers(bytes) }

    let setting = WebSocketSetting(choice: choice)
    let whole = WebSocketTrace(setting, bytes, pieces: [0..<bytes.count])
    var splits = Splits(seed: bytes.span)
    precondition(
        WebSocketTrace(setting, bytes, pieces: splits.ranges(bytes.count)) == whole, "Events depend on the split.")
    precondition(
        WebSocketTrace(setting, bytes, pieces: bytes.indices.map { $0..<$0 + 1 }) == whole,
        "Events depend on the split.")
    whole.checkRoundTrip(setting)
}

/// Whatever is agreed on must be something that a client could have asked for.
private func fuzzOffers(_ bytes: [UInt8]) {
    let offers = String(decoding: bytes, as: UTF8.self)
    for takeover in [false, true] {
        let options = PerMessageDeflate.Options(serverContextTakeover: takeover, clientContextTakeover: takeover)
        if let agreed = PerMessageDeflate.negotiate(offers: offers, options: options) {
            precondition(agreed.parameters.serverMaxWindowBits >= 9 && agreed.parameters.serverMaxWindowBits <= 15)
            precondition(PerMessageDeflate.negotiate(offers: agreed.response, options: options) != nil)
        }
        _ = PerMessageDeflate.accept(response: offers, options: options)
    }
    _ = WebSocketHandshake.accept(key: offers)
}

private struct WebSocketSetting {
    let role: WebSocketDecoder.Role
    let deflate: PerMessageDeflate?

    /// Small limits, so that the fuzzer finds their edges.
    let limits = WebSocketLimits(frameBytesMax: 300, messageBytesMax: 400, fragmentsMax: 6)

    init(choice: UInt8) {
        role = choice & 1 == 0 ? .server : .client
        guard choice & 2 != 0 else {
            deflate = nil
            return
        }
        var deflate = PerMessageDeflate()
        deflate.serverNoContextTakeover = choice & 4 == 0
        deflate.clientNoContextTakeover = choice & 4 == 0
        self.deflate = deflate
    }

    func makeDecoder() -> WebSocketDecoder {
        WebSocketDecoder(role: role, limits: limits, deflate: deflate, context: fuzzContext)
    }
}

/// The fuzzer has one thread, as a loop has.
nonisolated(unsafe) private let fuzzContext = DeflateContext()

/// What a decoder said about an input.
private struct WebSocketTrace: Equatable {
    private enum Step: Equatable {
        case message(WebSocketOpcode, [UInt8])
        case close(UInt16?, [UInt8])
        case failed(UInt16)
    }
    private var steps: [Step] = []

    init(_ setting: WebSocketSetting, _ bytes: [UInt8], pieces: [Range<Int>]) {
        var decoder = setting.makeDecoder()
        for piece in pieces {
            var part = Array(bytes[piece])
            var offset = 0
            do throws(WebSocketError) {
                while try read(&decoder, setting, &part, &offset) {}
            } catch {
                precondition(WebSocketCloseCode.isValidOnTheWire(error.closeCode) && !error.reason.isEmpty)
                steps.append(.failed(error.closeCode))
            }
            precondition(offset == part.count, "More input is asked for before all was read.")
        }
    }

    /// False when the decoder wants more input.
    private mutating func read(
        _ decoder: inout WebSocketDecoder, _ setting: WebSocketSetting, _ part: inout [UInt8], _ offset: inout Int
    ) throws(WebSocketError) -> Bool {
        let event = try next(&decoder, &part, &offset)
        func bytes(_ payload: WebSocketDecoder.Payload) -> [UInt8] {
            switch payload {
            case .input(let range): Array(part[range])
            case .assembled: decoder.assembled
            }
        }
        switch event {
        case .needMore: return false
        case .text(let payload): steps.append(.message(.text, bytes(payload)))
        case .binary(let payload): steps.append(.message(.binary, bytes(payload)))
        case .ping(let payload): steps.append(.message(.ping, bytes(payload)))
        case .pong(let payload): steps.append(.message(.pong, bytes(payload)))
        case .close(let code, let reason): steps.append(.close(code, bytes(reason)))
        }
        if let last = steps.last { check(last, setting.limits) }
        return true
    }

    private func next(
        _ decoder: inout WebSocketDecoder, _ part: inout [UInt8], _ offset: inout Int
    ) throws(WebSocketError) -> WebSocketDecoder.Event {
        var span = part.mutableSpan
        return try decoder.next(&span, offset: &offset)
    }

    private func check(_ step: Step, _ limits: WebSocketLimits) {
        switch step {
        case .message(.text, let bytes):
            precondition(String(validating: bytes, as: UTF8.self) != nil && bytes.count <= limits.messageBytesMax)
        case .message(.binary, let bytes):
            precondition(bytes.count <= limits.messageBytesMax)
        case .message(_, let bytes):
            precondition(bytes.count <= WebSocketFrame.controlBytesMax)
        case .close(let code, let reason):
            precondition(String(validating: reason, as: UTF8.self) != nil && reason.count <= 123)
            precondition(code.map(WebSocketCloseCode.isValidOnTheWire) ?? reason.isEmpty)
        case .failed:
            break
        }
    }

    /// Written by the peer of this role, without fragments and compression, and under limits that fit the messages.
    func checkRoundTrip(_ setting: WebSocketSetting) {
        var stream: [UInt8] = []
        var expected = self
        expected.steps.removeAll { if case .failed = $0 { true } else { false } }
        for (index, step) in expected.steps.enumerated() {
            let key = setting.role == .server ? UInt32(truncatingIfNeeded: index &* 0x9E37_79B9) : nil
            write(step, key, &stream)
        }
        let plain = WebSocketSetting(choice: setting.role == .server ? 0 : 1)
        let fits = expected.steps.allSatisfy {
            if case .message(_, let bytes) = $0 { bytes.count <= plain.limits.frameBytesMax } else { true }
        }
        if fits {
            precondition(WebSocketTrace(plain, stream, pieces: [0..<stream.count]) == expected, "No round trip.")
        }
    }

    private func write(_ step: Step, _ key: UInt32?, _ stream: inout [UInt8]) {
        switch (step, key) {
        case (.message(let opcode, let bytes), let key?):
            WebSocketFrame.appendMasked(opcode, bytes.span, key: key, into: &stream)
        case (.message(let opcode, let bytes), nil):
            WebSocketFrame.append(opcode, bytes.span, into: &stream)
        case (.close(let code, let reason), let key?):
            let text = String(decoding: reason, as: UTF8.self)
            WebSocketFrame.appendMasked(closeCode: code, reason: text, key: key, into: &stream)
        case (.close(let code, let reason), nil):
            WebSocketFrame.append(closeCode: code, reason: String(decoding: reason, as: UTF8.self), into: &stream)
        case (.failed, _):
            break
        }
    }
}
