import Recorder
import Store

/// Of servers that record rooms; others tell nothing here.
extension Metrics {
    static let recordings: [Metric] = [
        ofRecordings("rooms_recordings_running", .gauge, "Recordings of rooms that run here.") { $0.running },
        ofRecordings("rooms_recordings_begun_total", .counter, "Recordings that have begun.") { $0.begun },
        ofRecordings("rooms_recordings_failed_total", .counter, "Recordings that could not begin.") { $0.failed },
        Metric("rooms_recordings_ended_total", .counter, ["reason"], "Recordings that have ended, by the reason.") {
            server in
            server.recordings.map { reading in
                RecordingEnd.allCases.map { .init([$0.rawValue], reading.ends[$0] ?? 0) }
            } ?? []
        },
        ofRecordings("rooms_recordings_written_bytes_total", .counter, "Bytes that were written into recordings.") {
            $0.bytesWritten
        },
        ofRecordings(
            "rooms_recordings_waiting_bytes", .gauge,
            "Memory of what waits to be written. It grows when the disk does not keep up."
        ) { $0.waitingBytes },
        ofRecordings(
            "rooms_recordings_refused_total", .counter,
            "Ticks that a recording could not take because too much waited. It goes on with the room's whole state."
        ) { $0.refused },
        Metric(
            "rooms_recordings_free_bytes", .gauge, [],
            "Bytes that recordings may still write before the disk has only media-free-min left. Below zero all of them end."
        ) { server in server.recordings?.freeBytes.map { [.init([], $0)] } ?? [] },
    ]

    private static func ofRecordings(
        _ name: String, _ kind: Metric.Kind, _ help: String,
        _ number: @escaping @Sendable (RecordingTotals.Reading) -> Int
    ) -> Metric {
        Metric(name, kind, help) { server in server.recordings.map { [.init([], number($0))] } ?? [] }
    }
}
