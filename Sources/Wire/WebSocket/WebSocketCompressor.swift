/// The compressing side of one connection: borrows its loop's deflater, or owns one when context takeover is negotiated.
///
/// Small messages are not worth it: they go out as they are, which the extension allows at any time.
public struct WebSocketCompressor: ~Copyable {
    private let context: DeflateContext
    private let keepsContext: Bool
    private let windowBits: Int
    private let messageBytesMin: Int
    /// Made with the first message that is compressed.
    private var own: Deflater?

    public init(
        role: WebSocketDecoder.Role, deflate: PerMessageDeflate, context: DeflateContext, messageBytesMin: Int = 1024
    ) {
        self.context = context
        self.messageBytesMin = messageBytesMin
        switch role {
        case .server:
            keepsContext = !deflate.serverNoContextTakeover
            windowBits = deflate.serverMaxWindowBits
        case .client:
            keepsContext = !deflate.clientNoContextTakeover
            windowBits = max(deflate.clientMaxWindowBits, Deflater.windowBitsRange.lowerBound)
        }
    }

    /// Appends the compressed payload to `output`, to be sent in a frame marked as compressed. False: nothing was
    /// appended, and the message goes out as it is, because it is small or would not become smaller.
    public mutating func compress(_ message: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        if message.count < messageBytesMin { return false }
        let start = output.count
        if keepsContext {
            let deflater = own ?? context.makeDeflater(windowBits: windowBits)
            own = deflater
            // Whatever its size, it must go out now: the peer's window has to follow ours.
            deflater.deflate(message, scratch: context.scratch, into: &output)
            return true
        }
        context.compress(message, windowBits: windowBits, into: &output)
        if output.count - start < message.count { return true }
        output.removeLast(output.count - start)
        return false
    }
}

extension DeflateContext {
    /// Compresses a message by itself. All peers without context takeover and with at least this window can read it,
    /// so a broadcast is compressed once.
    public func compress(_ message: Span<UInt8>, windowBits: Int = 15, into output: inout [UInt8]) {
        let deflater = deflater(windowBits: windowBits)
        deflater.reset()
        deflater.deflate(message, scratch: scratch, into: &output)
    }
}
