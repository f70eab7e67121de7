/// The arguments of the program `rooms-media`: bounds first, then the work.
public enum MediaTask: Equatable, Sendable {
    case image(MediaFormat, pixelsMax: Int, sides: [Int])
    case sound(MediaFormat)
    case video(MediaFormat, Video)
    /// Loads what images need and seals the process, to see whether that works here.
    case probe

    /// Processor seconds, bytes of memory, bytes of one written file.
    public struct Bounds: Equatable, Sendable {
        public let seconds: Int
        public let memoryBytes: Int
        public let fileBytes: Int
        /// Whether the process may work without its seal.
        public let mayBeUnsealed: Bool
    }

    /// The bounds of a video.
    public struct Video: Equatable, Sendable {
        public let pixelsMax: Int
        public let secondsMax: Int
        public let tracksMax: Int
        /// Of its picture.
        public let sideMax: Int
    }

    func arguments(_ limits: MediaLimits) -> [String] {
        var fileBytesMax = 2 * max(limits.photoBytesMax, limits.audioBytesMax) + 16_000_000
        if case .video = self { fileBytesMax = max(limits.chunkedBytesMax, limits.uploadBytesMax) + 16_000_000 }
        let bounds = [
            "\(limits.workerSecondsMax)", "\(limits.workerMemoryBytesMax)", "\(fileBytesMax)",
            limits.workerMayBeUnsealed ? "unsealed" : "sealed",
        ]
        switch self {
        case .probe: return bounds + ["probe"]
        case .image(let format, let pixelsMax, let sides):
            return bounds + ["image", format.rawValue, "\(pixelsMax)"] + sides.map { "\($0)" }
        case .sound(let format):
            return bounds + ["sound", format.rawValue]
        case .video(let format, let video):
            let numbers = [video.pixelsMax, video.secondsMax, video.tracksMax, video.sideMax]
            return bounds + ["video", format.rawValue] + numbers.map { "\($0)" }
        }
    }

    /// Nil when these are not arguments that `arguments(_:)` makes.
    public static func read(_ arguments: [String]) -> (bounds: Bounds, task: MediaTask)? {
        let numbers = arguments.prefix(3).compactMap { Int($0) }
        guard arguments.count >= 5, numbers.count == 3, ["sealed", "unsealed"].contains(arguments[3]) else {
            return nil
        }
        let bounds = Bounds(
            seconds: numbers[0], memoryBytes: numbers[1], fileBytes: numbers[2],
            mayBeUnsealed: arguments[3] == "unsealed")
        return task(arguments[4], Array(arguments[5...])).map { (bounds, $0) }
    }

    private static func task(_ name: String, _ words: [String]) -> MediaTask? {
        guard name != "probe" else { return words.isEmpty ? .probe : nil }
        guard let format = words.first.flatMap(MediaFormat.init(rawValue:)) else { return nil }
        let numbers = words.dropFirst().compactMap { Int($0) }
        guard numbers.count == words.count - 1 else { return nil }
        switch name {
        case "image" where format.isImage && (2...17).contains(numbers.count) && numbers.allSatisfy { $0 > 0 }:
            return .image(format, pixelsMax: numbers[0], sides: Array(numbers[1...]))
        case "sound" where !format.isImage && !format.isVideo && numbers.isEmpty:
            return .sound(format)
        case "video" where format.isVideo && numbers.count == 4 && numbers.allSatisfy { $0 > 0 }:
            return .video(
                format,
                Video(pixelsMax: numbers[0], secondsMax: numbers[1], tracksMax: numbers[2], sideMax: numbers[3]))
        default: return nil
        }
    }
}
