/// The content of one binary tick: the attachment of `touch:tick`.
///
///     header      byte: decimals | absolute << 3;  varint: tick;  varint: interval
///     runs        varint: (gap << 3 | min(count - 1, 7)) << 1 | special;  varint: count - 8, if that was 7
///       row       special rows: byte of flags;  x and y: two zigzag varints, or two float64;  the element, if flagged
///
/// A tick of a view has bit 4 set in its header, and in place of runs single rows, each behind a varint: slot << 1 | special.
///
/// docs/PROTOCOL.md specifies it.
public struct TickHeader: Equatable, Sendable {
    /// Coordinates are whole numbers of `10^-decimals`.
    public var decimals: Int
    /// Whether rows count from nothing. Otherwise they count from the tick before.
    public var isAbsolute: Bool
    public var tick: UInt64
    /// The time in milliseconds after which the room may tick again.
    public var interval: Int
    /// Whether it tells only of touches within the member's view. Rows are in any order. An absolute one has all of them.
    public var isOfView: Bool

    /// The most decimals that a client may ask for.
    public static let decimalsMax = 4
    /// What a client gets that does not ask for another precision.
    public static let decimalsDefault = 3

    public init(decimals: Int, isAbsolute: Bool, tick: UInt64, interval: Int, isOfView: Bool = false) {
        self.decimals = decimals
        self.isAbsolute = isAbsolute
        self.tick = tick
        self.interval = interval
        self.isOfView = isOfView
    }
}

/// What a tick tells of one participant.
public struct TickRow: Equatable, Sendable {
    public var slot: Int
    /// Quanta, as a difference to the position before.
    public var x: Int
    public var y: Int
    /// Whether the row counts from nothing, as all rows of an absolute tick do.
    public var begins = false
    /// Coordinates that are too large for quanta. The next position of the participant counts from zero.
    public var exact: TickPoint?
    /// Nil when it has not changed.
    public var element: TickElement?
    /// Whether the participant has left what the member sees, for this position. Only in ticks of a view.
    public var leaves = false

    public init(slot: Int, x: Int = 0, y: Int = 0) {
        self.slot = slot
        self.x = x
        self.y = y
    }

    var isSpecial: Bool { begins || exact != nil || element != nil || leaves }
}

public struct TickPoint: Equatable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// The element of a touch.
public enum TickElement: Equatable, Sendable {
    case none
    /// One whose id was told before, by its index.
    case known(Int)
    /// From now on the index stands for this id, a JSON string.
    case new(Int, [UInt8])
}

/// The bytes are no tick.
public struct TickFault: Error, Equatable {
    public init() {}
}

enum TickFlags {
    static let begins: UInt8 = 1
    static let element: UInt8 = 2
    static let exact: UInt8 = 4
    static let leaves: UInt8 = 8
    static let all: UInt8 = 7
    static let allOfView: UInt8 = 15
}

enum TickRun {
    /// From this count on a run's length has a number of its own.
    static let longCount = 8
}
