import Wire

/// What another node is told of a room's touches: those within the squares that its members see.
///
/// The node knows the current position of some participants. The first position outside of the squares is told, so that members
/// see who leaves; then the node knows nothing of the participant until the next position within.
///
/// A node that is late gets the log alone. When it is not late any more it gets the newest position of everybody who has moved.
package struct NodeSight: Sendable {
    /// Nil for everything.
    private var squares: SquareSet?
    private var grid = CellGrid(level: 0)
    /// The slots of those who are touching, as the node knows.
    private var known: Set<Int>
    /// Whether the node has not been told yet who else is within the squares.
    private var isNew = false
    /// The slots of those who have moved while the node was late.
    private var late: Set<Int> = []

    /// A node that has been told everything until now.
    package init(_ room: Room) {
        known = room.touches.activeSlots
    }

    package mutating func see(_ squares: SquareSet?) {
        self.squares = squares
        grid = CellGrid(level: squares?.level ?? 0)
        isNew = true
    }

    /// Whether the node is told all deltas as they are.
    package var isOver: Bool { squares == nil && !isNew && late.isEmpty }
    /// Whether positions wait until the node is not late any more: of who has moved, or of all within other squares than before.
    package var isOwed: Bool { isNew || !late.isEmpty }

    /// The newest delta of a room, as the node is told it.
    package mutating func take(_ delta: RoomDelta, of room: Room, isLate: Bool = false) -> RoomDelta {
        for slot in delta.endedTouches { known.remove(slot) }
        late.subtract(delta.endedTouches)
        if isLate {
            late.formUnion(delta.touches.map(\.slot))
            return told(delta, [], away: [], frames: Array(delta.logFrames))
        }
        let tellsAll = isNew || !late.isEmpty
        var frames = Array(delta.logFrames)
        var touches: [RoomDelta.Touch] = []
        var away: [Int] = []
        var (all, source) = (delta.touches, delta.frames)
        if tellsAll {
            source = []
            all = room.touches.current(into: &source)
        }
        let moved = tellsAll ? late.union(delta.touches.map(\.slot)) : []
        for touch in all {
            let isWithin = squares?.contains(touch.point(in: source), in: grid) ?? true
            let wasKnown = known.contains(touch.slot)
            // Who moves outside is for nobody; who is known and has not moved is told already.
            if isWithin ? tellsAll && wasKnown && !moved.contains(touch.slot) : !wasKnown { continue }
            if isWithin {
                known.insert(touch.slot)
            } else {
                known.remove(touch.slot)
                away.append(touch.slot)
            }
            let start = frames.count
            frames.append(contentsOf: source[touch.frame])
            touches.append(touch.moved(to: start..<frames.count))
        }
        (isNew, late) = (false, [])
        return told(delta, touches, away: away, frames: frames)
    }

    private func told(
        _ delta: RoomDelta, _ touches: [RoomDelta.Touch], away: [Int], frames: [UInt8]
    ) -> RoomDelta {
        RoomDelta(
            roomJSON: delta.roomJSON, tick: delta.tick, entries: delta.entries, endedTouches: delta.endedTouches,
            touches: touches, away: away, carets: delta.carets, frames: frames, logByteCount: delta.logByteCount,
            isLast: delta.isLast, interval: delta.interval)
    }
}

extension RoomDelta.Touch {
    fileprivate func point(in frames: [UInt8]) -> TickPoint {
        let (x, y, _) = place.values(base: frame.lowerBound)
        return TickPoint(x: JSON.double(frames.span.extracting(x)), y: JSON.double(frames.span.extracting(y)))
    }

    fileprivate func moved(to frame: Range<Int>) -> RoomDelta.Touch {
        RoomDelta.Touch(slot: slot, frame: frame, place: place)
    }
}
