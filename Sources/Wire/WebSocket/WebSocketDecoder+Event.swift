extension WebSocketDecoder {
    public enum Role: Sendable { case server, client }

    public enum Payload: Equatable, Sendable {
        /// Unmasked, at this place of the caller's buffer.
        case input(Range<Int>)
        /// In `assembled`, until the next call of `next`.
        case assembled
    }

    public enum Event: Equatable, Sendable {
        case needMore
        case text(Payload)
        case binary(Payload)
        case ping(Payload)
        case pong(Payload)
        /// The last event of a connection: what follows it is skipped.
        case close(code: UInt16?, reason: Payload)
    }
}
