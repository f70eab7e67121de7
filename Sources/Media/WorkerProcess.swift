import CSpawn
import Glibc

/// Runs one process of the program that processes files, and waits for its report.
struct WorkerProcess {
    enum Outcome: Equatable {
        /// It ended well and said this, a line.
        case said(String)
        /// It has taken all the processor time that it may.
        case tooCostly
        /// It said nothing before its end, which came by the clock, by the system or by a fault of its own. This says which.
        case unfinished(String)
        /// What it would have said is not wanted any more.
        case cancelled
    }

    /// Longer is no report.
    private static let reportBytesMax = 1024

    let executable: String
    let arguments: [String]
    /// What it has open as 0: the file to work on.
    let input: Int32
    /// What it has open as 3, 4 and so on. Its report goes out at 1.
    let outputs: [Int32]
    /// Asked a few times a second.
    var isCancelled: @Sendable () -> Bool = { false }

    private static let lookMilliseconds = 100

    /// Waits for at most so long, then ends it.
    func run(milliseconds: Int) throws(MediaError) -> Outcome {
        var pipe: [Int32] = [-1, -1]
        let status = rooms_pipe(&pipe)
        guard status == 0 else { throw .workerFailed(String(cString: strerror(status))) }
        let process: pid_t
        do throws(MediaError) {
            process = try spawn(report: pipe[1])
        } catch {
            close(pipe[0])
            close(pipe[1])
            throw error
        }
        close(pipe[1])
        defer { close(pipe[0]) }
        let report = read(pipe[0], milliseconds: milliseconds)
        // The pipe is at its end when the process is; this ends it when it is not, and does nothing when it is.
        kill(process, SIGKILL)
        let end = Self.wait(process)
        guard let report else {
            return isCancelled() ? .cancelled : .unfinished("it took longer than \(milliseconds) ms")
        }
        return Self.outcome(end, report)
    }

    private func spawn(report: Int32) throws(MediaError) -> pid_t {
        let descriptors = [input, report] + outputs
        let numbers = [0, 1] + outputs.indices.map { Int32($0) + 3 }
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = rooms_spawn(executable, &words, descriptors, numbers, descriptors.count)
        guard process > 0 else { throw .workerFailed("\(executable): \(String(cString: strerror(-process)))") }
        return process
    }

    /// Nil when the time ran out before the end, or it is not wanted any more.
    private func read(_ descriptor: Int32, milliseconds: Int) -> String? {
        var report: [UInt8] = []
        let end = Self.now() + milliseconds
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = end - Self.now()
            guard left > 0, !isCancelled() else { return nil }
            let status = poll(&wait, 1, Int32(min(left, Self.lookMilliseconds)))
            if status == 0 || (status < 0 && errno == EINTR) { continue }
            guard status > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: Self.reportBytesMax)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: report, as: UTF8.self) }
            report += bytes.prefix(count)
            guard report.count <= Self.reportBytesMax else { return "" }
        }
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    private static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func outcome(_ status: Int32, _ report: String) -> Outcome {
        let signal = status & 0x7f
        if signal == SIGXCPU { return .tooCostly }
        if signal != 0 { return .unfinished("signal \(signal) has ended it") }
        if status != 0 { return .unfinished("it ended with \(status >> 8 & 0xff)") }
        guard report.hasSuffix("\n") else { return .unfinished("it ended without a report") }
        return .said(String(report.dropLast()))
    }
}
