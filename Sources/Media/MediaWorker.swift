import Glibc

/// Processes each file in a process of its own, which is sealed off and ends with the file. A hostile file that takes
/// over a library there can do no harm elsewhere.
public struct MediaWorker: Sendable {
    struct Image: Equatable {
        let width: Int
        let height: Int
        /// By output, whether it was written.
        let isWritten: [Bool]
    }

    struct Sound: Equatable {
        let duration: Double
        let format: MediaFormat
    }

    struct Video: Equatable {
        let width: Int
        let height: Int
        let duration: Double
    }

    let executable: String
    let limits: MediaLimits
    private let isCancelled: @Sendable () -> Bool

    /// - Parameters:
    ///   - executable: the program `rooms-media`.
    ///   - isCancelled: asked while it works; once it answers true, the work ends.
    public init(executable: String, limits: MediaLimits, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.executable = executable
        self.limits = limits
        self.isCancelled = isCancelled
    }

    /// Whether the process is sealed off on this machine. Throws what else keeps it from working.
    public func canSeal() throws(MediaError) -> Bool {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard null >= 0 else { throw .workerFailed("/dev/null: \(String(cString: strerror(errno)))") }
        defer { close(null) }
        do throws(MediaError) {
            _ = try run(.probe, null, [])
            return true
        } catch .unsealed {
            return false
        }
    }

    /// Re-encodes an image into the first output, and smaller ones into the others.
    func image(
        _ format: MediaFormat, from input: Int32, to outputs: [(side: Int, descriptor: Int32)]
    ) throws(MediaError) -> Image {
        let task = MediaTask.image(
            format, pixelsMax: limits.imagePixelsMax, sides: outputs.map(\.side))
        let words = try run(task, input, outputs.map(\.descriptor))
        guard words.count == 4, let width = Int(words[1]), let height = Int(words[2]), let written = Int(words[3]),
            width > 0, height > 0
        else { throw .workerFailed("an unknown report") }
        return Image(
            width: width, height: height, isWritten: outputs.indices.map { written >> $0 & 1 == 1 })
    }

    /// Writes a file's sound to the output and answers how long it is.
    func sound(_ format: MediaFormat, from input: Int32, to output: Int32) throws(MediaError) -> Sound {
        let words = try run(.sound(format), input, [output])
        guard words.count == 3, let duration = Double(words[1]), let format = MediaFormat(rawValue: String(words[2]))
        else { throw .workerFailed("an unknown report") }
        return Sound(duration: duration, format: format)
    }

    /// Writes the pictures and the sound of a video to the first output, and a picture of it to the other.
    func video(_ format: MediaFormat, from input: Int32, to outputs: [Int32]) throws(MediaError) -> Video {
        let bounds = MediaTask.Video(
            pixelsMax: limits.videoPixelsMax, secondsMax: limits.videoSecondsMax, tracksMax: limits.videoTracksMax,
            sideMax: limits.posterSideMax)
        let words = try run(.video(format, bounds), input, outputs)
        guard words.count == 4, let width = Int(words[1]), let height = Int(words[2]), let time = Int(words[3]),
            width > 0, height > 0, time >= 0
        else { throw .workerFailed("an unknown report") }
        return Video(width: width, height: height, duration: Double(time) / 1_000)
    }

    /// Videos have a program of their own beside the other: its libraries are of no use for images, and take time to load.
    private func executable(for task: MediaTask) -> String {
        guard case .video = task, let slash = executable.lastIndex(of: "/") else { return executable }
        return executable[...slash] + "rooms-video"
    }

    /// The words of its report. The first one is `ok`.
    private func run(_ task: MediaTask, _ input: Int32, _ outputs: [Int32]) throws(MediaError) -> [Substring] {
        let process = WorkerProcess(
            executable: executable(for: task), arguments: task.arguments(limits), input: input, outputs: outputs,
            isCancelled: isCancelled)
        switch try process.run(milliseconds: limits.workerMillisecondsMax) {
        case .tooCostly: throw .tooCostly
        case .unfinished(let how): throw .unfinished(how)
        case .cancelled: throw .workerFailed("the server ends")
        case .said(let report):
            let words = report.split(separator: " ")
            guard words.first != "ok" else { return words }
            if words.first == "pixels", case .video = task { throw .tooManyPixels(max: limits.videoPixelsMax) }
            throw Self.error(words.first, limits)
        }
    }

    private static func error(_ word: Substring?, _ limits: MediaLimits) -> MediaError {
        switch word {
        case "damaged": .damaged
        case "unsupported": .unsupportedFormat
        case "costly": .tooCostly
        case "pixels": .tooManyPixels(max: limits.imagePixelsMax)
        case "long": .tooLong(secondsMax: limits.videoSecondsMax)
        case "full": .storeFull
        case "unsealed": .unsealed
        case "unwritten": .storeFailed("what a file was made into could not be written")
        default: .workerFailed("an unknown report")
        }
    }
}

extension MediaWorker {
    /// The program beside the one that runs, where both are installed; nil when there is none that can be run.
    public static var installedExecutable: String? {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        let path = String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let beside = path[...slash] + "rooms-media"
        return access(String(beside), X_OK) == 0 ? String(beside) : nil
    }
}
