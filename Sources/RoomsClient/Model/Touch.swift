import Wire

/// The position of a touch.
public struct Touch: Equatable, Sendable {
    public var x: Double
    public var y: Double
    public var elementID: String?

    public init(x: Double, y: Double, elementID: String? = nil) {
        self.x = x
        self.y = y
        self.elementID = elementID
    }
}

/// A touch as an event tells of it.
package struct MovedTouch {
    package let roomID: String
    package let userID: String
    package let touch: Touch

    private static let keys = JSONKeys("roomId", "userId", "x", "y", "elementId")

    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let roomID = fields[0].string(in: text), let userID = fields[1].string(in: text),
            let x = fields[2].double(in: text), let y = fields[3].double(in: text)
        else { return nil }
        self.roomID = roomID
        self.userID = userID
        touch = Touch(x: x, y: y, elementID: fields[4].string(in: text))
    }
}

/// The touches of one tick.
public struct TouchBatch: Sendable {
    public let roomID: String
    /// By the participants' slots. This client's own is among them.
    public let touches: [(slot: Int, touch: Touch)]
    /// Those who have left this client's view, for these positions. Who is among `touches` too has come back.
    public let left: [(slot: Int, touch: Touch)]
    /// Whether nobody else is within this client's view.
    public let isWhole: Bool

    private static let keys = JSONKeys("roomId", "touches", "left", "all")

    package init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let roomID = fields[0].string(in: text), fields[1].kind == .array
        else { return nil }
        let left = fields[2].kind == .array ? Self.touches(text, fields[2].range) : []
        guard let touches = Self.touches(text, fields[1].range), let left else { return nil }
        self.init(roomID: roomID, touches: touches, left: left, isWhole: fields[3].bool(in: text) ?? false)
    }

    init(
        roomID: String, touches: [(slot: Int, touch: Touch)], left: [(slot: Int, touch: Touch)] = [],
        isWhole: Bool = false
    ) {
        self.roomID = roomID
        self.touches = touches
        self.left = left
        self.isWhole = isWhole
    }

    private static func touches(_ text: Span<UInt8>, _ range: Range<Int>) -> [(slot: Int, touch: Touch)]? {
        var touches: [(slot: Int, touch: Touch)] = []
        var items = JSONItems(range: range)
        do throws(JSONError) {
            while let item = try items.next(in: text) {
                guard item.kind == .array, let touch = try touch(text, item.range) else { return nil }
                touches.append(touch)
            }
        } catch {
            return nil
        }
        return touches
    }

    private static func touch(_ text: Span<UInt8>, _ range: Range<Int>) throws(JSONError) -> (Int, Touch)? {
        var items = JSONItems(range: range)
        guard let slot = try items.next(in: text)?.int(in: text), let x = try items.next(in: text)?.double(in: text),
            let y = try items.next(in: text)?.double(in: text)
        else { return nil }
        return (slot, Touch(x: x, y: y, elementID: try items.next(in: text)?.string(in: text)))
    }
}
