import Sessions
import Transport

/// A client's connection, as a relay needs it. `EngineSession` is the server's; the simulation has one of its own.
package protocol RelaySession: AnyObject {
    var isOpen: Bool { get }
    /// A client that has several sessions one after the other has opened each before the next.
    var opened: ContinuousClock.Instant { get }
    var peer: PeerAddress { get }
    var isSecure: Bool { get }
    var transportName: String { get }
    /// Whether clients are to go elsewhere: the server is shutting down.
    var isDraining: Bool { get }
    /// Whether the client can claim to be the one behind an earlier connection.
    var canReturn: Bool { get }
    /// The application's own.
    var memory: AnyObject? { get set }

    /// Whether a packet sent now would go out in this turn.
    var isWritable: Bool { get }
    /// Queues a packet. Answers false when the session has ended.
    @discardableResult
    func send(_ bytes: [UInt8], isBinary: Bool) -> Bool

    /// Whether frames that were encoded before can be written now. Sends what waits, which can make the relay hear that
    /// the session has drained.
    func makeReadyForFrames() -> Bool
    /// Writes whole text frames at once, right after `makeReadyForFrames` said yes. They are accepted whole.
    func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult

    /// Ends the session: what waits is still sent, then the client is told.
    func close(_ reason: DisconnectReason)
}

extension RelaySession {
    func writeFrames(_ frames: [UInt8]) -> SendResult {
        frames.withUnsafeBytes { bytes in
            let pieces: InlineArray<1, UnsafeRawBufferPointer> = [bytes]
            return writeFrames(pieces.span)
        }
    }
}

/// A client in the relay's namespace. `Socket` is the server's; the simulation has one of its own.
package protocol RelaySocket: AnyObject {
    /// Kept after the client's end, too.
    var relaySession: any RelaySession { get }
    var identity: SocketIdentity { get }
    var isConnected: Bool { get }
    /// The relay's own: who the client is.
    var state: AnyObject? { get set }

    /// Sends an event. `arguments` is JSON, the items of an array without its brackets. Answers false when the client
    /// is gone.
    @discardableResult
    func emit(_ event: String, _ arguments: [UInt8]) -> Bool
    /// Answers a client's event; does nothing when no answer is wanted.
    func acknowledge(_ call: SocketCall, _ arguments: [UInt8])
    /// Takes the client out of the namespace and, if asked, ends its session.
    func disconnect(closingSession: Bool)
}

/// A client that wants to connect, and is let in or not.
package protocol RelayConnect: AnyObject {
    var relaySocket: any RelaySocket { get }
    /// Lets the client in.
    ///
    /// - Parameter identity: what the client is told that its ids are, in place of those that it has.
    func proceed(as identity: SocketIdentity?)
}
