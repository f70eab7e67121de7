import Wire

/// Replays a segment of a flight through a room.
package struct Refly {
    package struct Report: Equatable, Sendable {
        package var roomID = ""
        package var incarnation: UInt64 = 0
        /// The tick after which the segment begins, and the last one.
        package var firstTick: UInt64 = 0
        package var lastTick: UInt64 = 0
        package var tickCount = 0
        package var inputCount = 0
        /// The first tick whose delta differs from the recorded one.
        package var differs: UInt64?
        /// Whether bytes follow that are no whole piece.
        package var isCutOff = false
    }

    /// - Parameter each: called with each delta.
    package static func run(
        _ segment: [UInt8], each: (RoomDelta) -> Void = { _ in }
    ) throws(RecordFault) -> Report {
        var (rest, report) = (segment[...], Report())
        guard let first = try FlightPiece.next(&rest) else { throw RecordFault() }
        var state = RecordReader(first.content)
        var room = try Room(from: &state)
        guard state.isAtEnd else { throw RecordFault() }
        (report.roomID, report.incarnation) = (room.id, room.incarnation)
        (report.firstTick, report.lastTick) = (room.lastTick, room.lastTick)
        while let piece = try FlightPiece.next(&rest) {
            var record = RecordReader(piece.content)
            var delta: RoomDelta?
            while !record.isAtEnd {
                report.inputCount += 1
                delta = room.apply(try record.value())
            }
            if let delta {
                report.tickCount += 1
                each(delta)
            }
            report.lastTick = room.lastTick
            let digest = delta.map(FlightPiece.digest) ?? 0
            if report.differs == nil, digest != piece.digest { report.differs = room.lastTick }
        }
        report.isCutOff = !rest.isEmpty
        return report
    }
}
