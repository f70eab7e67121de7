import Configuration
import Glibc
import Identity
import Logging
import Relay
import Rooms
import Transport
import Wire

/// The flights of the rooms that the operator has named, two files for each:
///
///     ROOM.0.flight, ROOM.1.flight
///
/// A segment replaces the older file of the two. `ROOM` is the room's id in the letters of base64url, so that every id is a
/// name, and names no other place. A node of a cluster adds its number.
final class FlightDirectory: FlightRecorders {
    private let directory: String
    private let suffix: String
    private let rooms: Set<ExactText>
    private let segmentBytesMax: Int
    private let report: @Sendable (String) -> Void

    init(
        _ directory: String, node: Int?, rooms: [String], bytesMax: Int, report: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        self.directory = directory
        self.rooms = Set(rooms.map(ExactText.init))
        self.report = report
        suffix = node.map { "-\($0)" } ?? ""
        segmentBytesMax = bytesMax / 2
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw TransportError(description: "\(directory): \(String(cString: strerror(errno)))")
        }
    }

    func recorder(of roomID: String) -> FlightRecorder? {
        guard rooms.contains(ExactText(roomID)) else { return nil }
        let name = directory + "/" + Base64URL.text(Array(roomID.utf8)) + suffix
        return FlightRecorder(FlightFiles(name, report), segmentBytesMax: segmentBytesMax)
    }
}

/// The files of one room while it is in use. What the kernel has of them outlives the process.
private final class FlightFiles: FlightSink {
    private let paths: [String]
    private let report: @Sendable (String) -> Void
    private var descriptor: Int32 = -1

    init(_ name: String, _ report: @escaping @Sendable (String) -> Void) {
        paths = [0, 1].map { "\(name).\($0).flight" }
        self.report = report
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func begin(_ piece: [UInt8]) {
        if descriptor >= 0 { close(descriptor) }
        let path = Self.age(paths[0]) <= Self.age(paths[1]) ? paths[0] : paths[1]
        descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { report("\(path): \(String(cString: strerror(errno)))") }
        append(piece)
    }

    func append(_ piece: [UInt8]) {
        var rest = piece[...]
        while descriptor >= 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // Pieces behind a gap would be worth nothing.
                report("a flight is not recorded any more: \(String(cString: strerror(errno)))")
                close(descriptor)
                descriptor = -1
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// When the file was written last, in nanoseconds; 0 for one that is not there.
    private static func age(_ path: String) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return Int(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(status.st_mtim.tv_nsec)
    }
}

extension ServerConfiguration {
    /// Nil when no flight is to be recorded.
    func flights(_ logger: Logger) throws(TransportError) -> FlightDirectory? {
        guard !flightRecorder.isEmpty, let directory = flightRecorderDir ?? data.map({ $0 + "/flights" }) else {
            return nil
        }
        return try FlightDirectory(
            directory, node: clusterNode, rooms: flightRecorder, bytesMax: flightRecorderSizeMax
        ) {
            logger.error("flight recorder", ["reason": $0])
        }
    }
}
