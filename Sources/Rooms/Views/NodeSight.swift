import Wire

/// What another node is told of a room's touches: those within the squares that its members see.
///
/// The node knows the current position of some participants. The first position outside of the squares is told, so that members
/// see who leaves; then the node knows nothing of the participant until the next position within.
package struct NodeSight: Sendable {
    /// Nil for everything.
    private var squares: SquareSet?
    private var grid = CellGrid(level: 0)
    /// The slots of those who are touching, as the node knows.
    private var known: Set<Int>
    /// Whether the node has not been told yet who else is within the squares.
    private var isNew = false

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
    package var isOver: Bool { squares == nil && !isNew }

    /// The newest delta of a room, as the node is told it.
    package mutating func take(_ delta: RoomDelta, of room: Room) -> RoomDelta {
        for slot in delta.endedTouches { known.remove(slot) }
        var frames = Array(delta.logFrames)
        var touches: [RoomDelta.Touch] = []
        var away: [Int] = []
        var (all, source) = (delta.touches, delta.frames)
        if isNew {
            source = []
            all = room.touches.current(into: &source)
        }
        let moved = isNew ? Set(delta.touches.map(\.slot)) : []
        for touch in all {
            let isWithin = squares?.contains(touch.point(in: source), in: grid) ?? true
            let wasKnown = known.contains(touch.slot)
            // Who moves outside is for nobody; who is known and has not moved is told already.
            if isWithin ? isNew && wasKnown && !moved.contains(touch.slot) : !wasKnown { continue }
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
        isNew = false
        return RoomDelta(
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
