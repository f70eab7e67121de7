import Relay
import Rooms
import Wire

/// The flights of all rooms of a simulation, and the deltas that the homes made.
package final class SimulatedFlights: FlightRecorders, @unchecked Sendable {
    /// All segments of a room in one use.
    private final class Flight: FlightSink {
        var segments: [[UInt8]] = []

        func begin(_ piece: [UInt8]) { segments.append(piece) }
        func append(_ piece: [UInt8]) { segments[segments.count - 1] += piece }
    }

    /// What replaying has shown.
    package struct Report: Sendable {
        package internal(set) var flights = 0
        package internal(set) var segments = 0
        package internal(set) var inputs = 0
        package internal(set) var deltas = 0
        /// What differs from what was recorded; empty if nothing does.
        package internal(set) var differences: [String] = []
    }

    /// Small, so that flights have many.
    private static let segmentBytesMax = 1_000

    private var flights: [Flight] = []
    /// As records, by the incarnation of the room.
    private var deltas: [UInt64: [[UInt8]]] = [:]

    package func recorder(of roomID: String) -> FlightRecorder? {
        let flight = Flight()
        flights.append(flight)
        return FlightRecorder(flight, segmentBytesMax: Self.segmentBytesMax)
    }

    func note(_ delta: RoomDelta, _ incarnation: UInt64) {
        deltas[incarnation, default: []].append(Self.bytes(of: delta))
    }

    private static func bytes(of delta: RoomDelta) -> [UInt8] {
        var record = RecordWriter()
        record.put(delta)
        return record.bytes
    }

    /// Replays every segment by itself. Together they have to give the deltas that were made, byte for byte.
    package func replay() throws(RecordFault) -> Report {
        var report = Report()
        for flight in flights {
            report.flights += 1
            var made: [[UInt8]] = []
            var incarnation: UInt64 = 0
            for segment in flight.segments {
                let told = try Refly.run(segment) { made.append(Self.bytes(of: $0)) }
                incarnation = told.incarnation
                report.segments += 1
                report.inputs += told.inputCount
                if let tick = told.differs { report.differences.append("\(told.roomID) differs at tick \(tick)") }
            }
            report.deltas += made.count
            if made != deltas[incarnation] ?? [] { report.differences.append("flight \(report.flights) differs") }
        }
        let count = deltas.values.reduce(0) { $0 + $1.count }
        if count != report.deltas { report.differences.append("\(report.deltas) of \(count) deltas are in flights") }
        return report
    }
}
