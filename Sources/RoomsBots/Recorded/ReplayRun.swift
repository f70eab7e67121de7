import Recordings
import RoomsClient
import Threads

/// How a recording is sent to a server.
package struct ReplayOptions: Sendable {
    package var url = "http://127.0.0.1:8080"
    package var path = ""
    /// Nil for the room of the recording.
    package var room: String?
    package var speed = 1.0
    package var trust: TLSTrust?
    /// Participants are called by this, a hyphen and a number.
    package var prefix = "replay"
    /// The token of a participant, by its name.
    package var token: @Sendable (_ name: String) -> String? = { $0 }

    package init() {}
}

/// Sends a recording to a server, on a thread of its own.
package final class ReplayRun: Sendable {
    private let loop: ClientLoop
    private let stage: LoopBound<ReplayStage>
    private let last: Locked<ReplayReport?>

    package init(_ options: ReplayOptions) throws(RecordRun.Fault) {
        let last = Locked<ReplayReport?>(nil)
        self.last = last
        let reader: RecordingReader
        do throws(RecordingFault) { reader = try RecordingReader(path: options.path) } catch { throw .file(error) }
        do throws(ClientError) {
            _ = try ServerURL(options.url)
            loop = try ClientLoop()
        } catch { throw .client(error) }
        stage = LoopBound(value: ReplayStage(options, reader, loop) { report in last.withLock { $0 = report } })
        let stage = stage
        loop.post { stage.value.start() }
    }

    package func stop() {
        let stage = stage
        loop.post { stage.value.stop() }
    }

    /// Set when the replay has ended.
    package var result: ReplayReport? { last.withLock { $0 } }

    deinit {
        loop.stop()
    }
}
