/// The inflating side of one connection: borrows its loop's inflater, or owns one when the peer keeps its context.
struct WebSocketInflation {
    let context: DeflateContext
    let keepsContext: Bool
    /// Made with the first compressed message: a connection that never sends one pays nothing.
    private var own: Inflater?

    init(context: DeflateContext, keepsContext: Bool) {
        self.context = context
        self.keepsContext = keepsContext
    }

    mutating func inflate(_ compressed: Span<UInt8>, bytesMax: Int) throws(WebSocketError) -> [UInt8] {
        guard keepsContext else {
            context.inflater.reset()
            return try context.inflater.inflate(compressed, bytesMax: bytesMax, scratch: context.scratch)
        }
        let inflater = own ?? Inflater()
        own = inflater
        return try inflater.inflate(compressed, bytesMax: bytesMax, scratch: context.scratch)
    }
}
