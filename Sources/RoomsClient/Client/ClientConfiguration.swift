/// How a client connects, and how it behaves when it loses its connection.
public struct ClientConfiguration: Sendable {
    public var transport = ClientTransport.webSocket
    /// The user's token. A client with a source of tokens asks that instead.
    public var token: String?
    /// For servers with TLS: the authorities that vouch for them. Nil stands for those of the system.
    public var trust: TLSTrust?
    /// How positions of touches come. Binary ticks take the fewest bytes, and tell the client how often to send.
    public var touches = TouchForm.binary(decimals: 4)
    /// Whether changes of texts come as `RoomsEvent.textEdited`, and carets come. Otherwise whole elements come.
    public var textsInEdits = false
    /// Whether to continue where the client was when a connection is lost.
    public var isRecovering = true
    /// A room by which a load balancer in front of several servers may choose one, so that its members come together.
    /// Nil stands for the first room that the client is in.
    public var room: String?
    /// How long connecting may take, from the name of the server to its welcome.
    public var connectTimeout = Duration.seconds(10)
    /// How long the answer to an event may take.
    public var answerTimeout = Duration.seconds(10)
    public var backoff = Backoff()
    /// Operations on elements that may wait for the connection or their answers. Past it: `ClientError.queueFull`.
    public var operationsMax = 1_000

    public init() {}
}

/// The form in which positions of touches come.
public enum TouchForm: Sendable, Equatable {
    /// Each in an event of its own.
    case single
    /// In one event for each room and tick.
    case batches
    /// The same in a few bytes for each position, with coordinates that are rounded to 0 to 4 decimals.
    case binary(decimals: Int = 3)
}

/// How long to wait before the next attempt to connect. The time grows with each attempt and is random, so that not all
/// clients meet a restarted server at once.
public struct Backoff: Sendable, Equatable {
    public var firstMilliseconds: Int64
    public var maxMilliseconds: Int64
    public private(set) var attempts = 0

    public init(firstMilliseconds: Int64 = 500, maxMilliseconds: Int64 = 30_000) {
        precondition(firstMilliseconds > 0 && maxMilliseconds >= firstMilliseconds, "a back-off grows")
        self.firstMilliseconds = firstMilliseconds
        self.maxMilliseconds = maxMilliseconds
    }

    /// Between half of the time and all of it, as chance has it; the time doubles with each attempt, up to its bound.
    public mutating func next(chance: UInt64 = .random(in: .min ... .max)) -> Int64 {
        let doubled = attempts < 20 ? firstMilliseconds << Int64(attempts) : maxMilliseconds
        let most = min(max(doubled, firstMilliseconds), maxMilliseconds)
        attempts += 1
        let least = (most + 1) / 2
        return least + Int64(chance % UInt64(most - least + 1))
    }

    public mutating func reset() { attempts = 0 }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000).partialValue + attoseconds / 1_000_000_000_000_000
    }
}
