import Sessions
import Transport

/// A client's session for the relay. In a server it is an `EngineSession`; the simulation has its own.
package protocol RelaySession: AnyObject {
    var isOpen: Bool { get }
    /// A client with several sessions, one after the other, has opened each before the next.
    var opened: ContinuousClock.Instant { get }
    var peer: PeerAddress { get }
    var isSecure: Bool { get }
    var transportName: String { get }
    /// Whether the server is shutting down, so that clients should go elsewhere.
    var isDraining: Bool { get }
    /// Whether the client can claim an earlier connection.
    var canReturn: Bool { get }
    /// For the application.
    var memory: AnyObject? { get set }

    /// Whether a packet sent now would be written in this turn.
    var isWritable: Bool { get }
    /// Queues a packet. Returns false when the session has ended.
    @discardableResult
    func send(_ bytes: [UInt8], isBinary: Bool) -> Bool

    /// Whether encoded frames can be written now. It sends queued packets first, which can tell the relay that the
    /// session has drained.
    func makeReadyForFrames() -> Bool
    /// Whether binary messages go out as frames without anything around them, so that `writeFrames` takes them.
    var takesBinaryFrames: Bool { get }
    /// Writes whole frames at once, right after `makeReadyForFrames` has returned true. It accepts all of them.
    func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult

    /// Ends the session: queued packets are still sent, then the client is told.
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

/// A client in the relay's namespace. In a server it is a `Socket`; the simulation has its own.
package protocol RelaySocket: AnyObject {
    /// It stays after the client's end.
    var relaySession: any RelaySession { get }
    var identity: SocketIdentity { get }
    var isConnected: Bool { get }
    /// For the relay: the client.
    var state: AnyObject? { get set }

    /// Sends an event. `arguments` is JSON, the items of an array without its brackets. Returns false when the client
    /// has gone.
    @discardableResult
    func emit(_ event: String, _ arguments: [UInt8]) -> Bool
    /// Answers a client's event; does nothing for an event without an ack.
    func acknowledge(_ call: SocketCall, _ arguments: [UInt8])
    /// Removes the client from the namespace and, if asked, ends its session.
    func disconnect(closingSession: Bool)
}

/// A client that wants to connect, and is accepted or refused.
package protocol RelayConnect: AnyObject {
    var relaySocket: any RelaySocket { get }
    /// Accepts the client.
    ///
    /// - Parameter identity: the ids that the client is told, in place of its own.
    func proceed(as identity: SocketIdentity?)
}
