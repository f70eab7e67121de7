/// The parameters of permessage-deflate (RFC 7692) that two peers have agreed on.
public struct PerMessageDeflate: Equatable, Sendable {
    /// What a side wishes. The default keeps no compressor between messages in either direction: an idle connection
    /// then costs no memory for compression.
    public struct Options: Equatable, Sendable {
        /// Whether the server's compressor may keep its context from message to message.
        public var serverContextTakeover: Bool
        /// Whether the client's compressor may.
        public var clientContextTakeover: Bool
        public var serverMaxWindowBits: Int
        /// Asked of the client where it lets itself be asked.
        public var clientMaxWindowBits: Int

        public init(
            serverContextTakeover: Bool = false, clientContextTakeover: Bool = false,
            serverMaxWindowBits: Int = 15, clientMaxWindowBits: Int = 15
        ) {
            precondition(Deflater.windowBitsRange.contains(serverMaxWindowBits), "windows have 9 to 15 bits")
            precondition(Deflater.windowBitsRange.contains(clientMaxWindowBits), "windows have 9 to 15 bits")
            self.serverContextTakeover = serverContextTakeover
            self.clientContextTakeover = clientContextTakeover
            self.serverMaxWindowBits = serverMaxWindowBits
            self.clientMaxWindowBits = clientMaxWindowBits
        }
    }

    public var serverNoContextTakeover = false
    public var clientNoContextTakeover = false
    public var serverMaxWindowBits = 15
    public var clientMaxWindowBits = 15

    public init() {}

    static let name = "permessage-deflate"
}

// MARK: - The server's side

extension PerMessageDeflate {
    /// What a server answers to the value of `Sec-WebSocket-Extensions` (several header lines joined with commas): the
    /// first offer that it can accept counts. Nil: none, and the header is left out of the response.
    public static func negotiate(
        offers: String, options: Options = Options()
    ) -> (parameters: PerMessageDeflate, response: String)? {
        for case let offer? in WebSocketExtension.parse(offers) where offer.name == name {
            if let accepted = answer(to: offer, options: options) { return accepted }
        }
        return nil
    }

    private static func answer(
        to offer: WebSocketExtension, options: Options
    ) -> (parameters: PerMessageDeflate, response: String)? {
        guard let wishes = Parameters(offer, clientBitsNeedValue: false) else { return nil }
        // zlib makes no raw stream with a window of 8 bits, so this wish cannot be met.
        if let bits = wishes.serverMaxWindowBits, !Deflater.windowBitsRange.contains(bits) { return nil }

        var agreed = PerMessageDeflate()
        var response = name
        if wishes.serverNoContextTakeover || !options.serverContextTakeover {
            agreed.serverNoContextTakeover = true
            response += "; server_no_context_takeover"
        }
        if wishes.clientNoContextTakeover || !options.clientContextTakeover {
            agreed.clientNoContextTakeover = true
            response += "; client_no_context_takeover"
        }
        agreed.serverMaxWindowBits = min(wishes.serverMaxWindowBits ?? 15, options.serverMaxWindowBits)
        if agreed.serverMaxWindowBits < 15 || wishes.serverMaxWindowBits != nil {
            response += "; server_max_window_bits=\(agreed.serverMaxWindowBits)"
        }
        // A client that does not name this parameter may not be asked for it.
        if wishes.hasClientMaxWindowBits {
            agreed.clientMaxWindowBits = min(wishes.clientMaxWindowBits ?? 15, options.clientMaxWindowBits)
            if agreed.clientMaxWindowBits < 15 {
                response += "; client_max_window_bits=\(agreed.clientMaxWindowBits)"
            }
        }
        return (agreed, response)
    }
}

// MARK: - The client's side

extension PerMessageDeflate {
    /// The header's value with which a client asks for compression.
    public static func offer(options: Options = Options()) -> String {
        var offer = name
        if !options.serverContextTakeover { offer += "; server_no_context_takeover" }
        if !options.clientContextTakeover { offer += "; client_no_context_takeover" }
        if options.serverMaxWindowBits < 15 { offer += "; server_max_window_bits=\(options.serverMaxWindowBits)" }
        offer +=
            options.clientMaxWindowBits < 15
            ? "; client_max_window_bits=\(options.clientMaxWindowBits)" : "; client_max_window_bits"
        return offer
    }

    /// The meaning of the server's answer to `offer(options:)`. Nil: the answer has something that was not offered, and
    /// the connection must be failed (1010). An answer without the header needs no call: nothing is compressed.
    public static func accept(response: String, options: Options = Options()) -> PerMessageDeflate? {
        let answers = WebSocketExtension.parse(response)
        guard answers.count == 1, case let answer?? = answers.first, answer.name == name,
            let given = Parameters(answer, clientBitsNeedValue: true)
        else { return nil }
        var agreed = PerMessageDeflate()
        agreed.serverNoContextTakeover = given.serverNoContextTakeover
        // What the client has offered of itself it may do whether the server repeats it or not.
        agreed.clientNoContextTakeover = given.clientNoContextTakeover || !options.clientContextTakeover
        agreed.serverMaxWindowBits = given.serverMaxWindowBits ?? 15
        agreed.clientMaxWindowBits = min(given.clientMaxWindowBits ?? 15, options.clientMaxWindowBits)
        if !options.serverContextTakeover && !agreed.serverNoContextTakeover { return nil }
        if agreed.serverMaxWindowBits > options.serverMaxWindowBits { return nil }
        // A window of 8 bits is one that zlib cannot make.
        if !Deflater.windowBitsRange.contains(agreed.clientMaxWindowBits) { return nil }
        return agreed
    }
}

// MARK: - Parameters as written

extension PerMessageDeflate {
    /// Those of one offer or answer, each at most once and with a value that it may have.
    private struct Parameters {
        var serverNoContextTakeover = false
        var clientNoContextTakeover = false
        var serverMaxWindowBits: Int?
        var hasClientMaxWindowBits = false
        var clientMaxWindowBits: Int?

        /// Nil: unknown, doubled or badly valued parameters, which decline the whole.
        init?(_ written: WebSocketExtension, clientBitsNeedValue: Bool) {
            for parameter in written.parameters {
                switch (parameter.name, parameter.value) {
                case ("server_no_context_takeover", nil) where !serverNoContextTakeover:
                    serverNoContextTakeover = true
                case ("client_no_context_takeover", nil) where !clientNoContextTakeover:
                    clientNoContextTakeover = true
                case ("server_max_window_bits", let value?) where serverMaxWindowBits == nil:
                    guard let bits = Self.windowBits(value) else { return nil }
                    serverMaxWindowBits = bits
                case ("client_max_window_bits", nil) where !hasClientMaxWindowBits && !clientBitsNeedValue:
                    hasClientMaxWindowBits = true
                case ("client_max_window_bits", let value?) where !hasClientMaxWindowBits:
                    guard let bits = Self.windowBits(value) else { return nil }
                    hasClientMaxWindowBits = true
                    clientMaxWindowBits = bits
                default:
                    return nil
                }
            }
        }

        /// 8 to 15, in decimal without leading zeros.
        private static func windowBits(_ value: String) -> Int? {
            switch value {
            case "8", "9", "10", "11", "12", "13", "14", "15": Int(value)
            default: nil
            }
        }
    }
}
