import Recordings
import Threads

/// Has one thread at a time work with the files of a recording.
final class FileTurns: Sendable {
    private let busy = Monitor<Set<String>>([])

    func alone<Value>(_ id: String, _ body: () throws(RecordingFault) -> Value) throws(RecordingFault) -> Value {
        busy.wait { $0.insert(id).inserted ? .done(()) : .again(at: nil) }
        defer {
            busy.withLock { _ = $0.remove(id) }
            busy.notify()
        }
        return try body()
    }
}
