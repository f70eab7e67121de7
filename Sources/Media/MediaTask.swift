/// What the program `rooms-media` is told, in its arguments: bounds first, then the work.
public enum MediaTask: Equatable, Sendable {
    case image(MediaFormat, pixelsMax: Int, sides: [Int])
    case sound(MediaFormat)

    /// Processor seconds, bytes of memory, bytes of one written file.
    public struct Bounds: Equatable, Sendable {
        public let seconds: Int
        public let memoryBytes: Int
        public let fileBytes: Int
    }

    func arguments(_ limits: MediaLimits) -> [String] {
        let fileBytesMax = 2 * max(limits.photoBytesMax, limits.audioBytesMax) + 16_000_000
        let bounds = ["\(limits.workerSecondsMax)", "\(limits.workerMemoryBytesMax)", "\(fileBytesMax)"]
        switch self {
        case .image(let format, let pixelsMax, let sides):
            return bounds + ["image", format.rawValue, "\(pixelsMax)"] + sides.map { "\($0)" }
        case .sound(let format):
            return bounds + ["sound", format.rawValue]
        }
    }

    /// Nil when these are not arguments that `arguments(_:)` makes.
    public static func read(_ arguments: [String]) -> (bounds: Bounds, task: MediaTask)? {
        let numbers = arguments.prefix(3).compactMap { Int($0) }
        guard arguments.count >= 5, numbers.count == 3, let format = MediaFormat(rawValue: arguments[4]) else {
            return nil
        }
        let bounds = Bounds(seconds: numbers[0], memoryBytes: numbers[1], fileBytes: numbers[2])
        let rest = arguments.dropFirst(5).compactMap { Int($0) }
        guard rest.count == arguments.count - 5 else { return nil }
        switch arguments[3] {
        case "image" where format.isImage && (2...17).contains(rest.count) && rest.allSatisfy { $0 > 0 }:
            return (bounds, .image(format, pixelsMax: rest[0], sides: Array(rest[1...])))
        case "sound" where !format.isImage && rest.isEmpty:
            return (bounds, .sound(format))
        default: return nil
        }
    }
}
