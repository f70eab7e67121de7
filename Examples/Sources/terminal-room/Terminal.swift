import Glibc

/// The terminal without echo and line by line, and as it was afterwards.
struct Terminal {
    private let before: termios

    init() {
        var settings = termios()
        tcgetattr(STDIN_FILENO, &settings)
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write("\u{1B}[?25l\u{1B}[2J")
    }

    func restore() {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write("\u{1B}[?25h\n")
    }

    static func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }

    enum Key: Sendable {
        case up, down, left, right, note, undo, lift, quit
    }

    /// The keys that are pressed, read on a thread that may block.
    static func keys() -> AsyncStream<Key> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let box = Unmanaged.passRetained(Box(continuation))
            var thread = pthread_t()
            pthread_create(&thread, nil, readKeys, box.toOpaque())
            pthread_detach(thread)
        }
    }

    private final class Box: Sendable {
        let continuation: AsyncStream<Key>.Continuation

        init(_ continuation: AsyncStream<Key>.Continuation) { self.continuation = continuation }
    }

    private static let readKeys: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let box = Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { break }
            for key in keys(in: bytes[..<count]) { box.continuation.yield(key) }
        }
        box.continuation.finish()
        return nil
    }

    /// Arrow keys come as an escape, a bracket and a letter.
    private static func keys(in bytes: ArraySlice<UInt8>) -> [Key] {
        bytes.compactMap { byte in
            switch byte {
            case UInt8(ascii: "A"), UInt8(ascii: "k"): .up
            case UInt8(ascii: "B"), UInt8(ascii: "j"): .down
            case UInt8(ascii: "C"), UInt8(ascii: "l"): .right
            case UInt8(ascii: "D"), UInt8(ascii: "h"): .left
            case UInt8(ascii: " "): .note
            case 0x7F, 0x08: .undo
            case UInt8(ascii: "e"): .lift
            case UInt8(ascii: "q"), 0x04: .quit
            default: nil
            }
        }
    }
}
