import Glibc
import Recordings
import Store
import Threads

/// Brings the recordings of this server into a depot while they grow, and those of other servers from there.
///
/// `ID.rec` in the directory is written here and is not all in the depot yet; `copies/ID.rec` is a copy of what the depot has.
final class RecordingExchange: Sendable {
    /// How often a recording that runs is sent. So much of it is lost with a server that does not come back.
    static let sendMilliseconds: Int64 = 10_000
    /// How long a copy stays that nobody asks for.
    static let copySeconds = 3_600
    /// Pauses after failures, which grow to the last.
    private static let pausesMilliseconds: [Int64] = [2_000, 5_000, 10_000, 30_000, 60_000]
    private static let copiesPerLook = 1_000
    /// What copies leave of the disk to the recordings that run, which end when it is full.
    private static let copyReserveBytes = 64 << 20

    /// The end of a recording, which is told to the store once more when the depot has all of it.
    struct End: Sendable {
        let reason: RecordingEnd
        let at: Int64
    }

    /// A recording that is sent.
    struct Load: Sendable {
        var sent = RecordingSize()
        /// Nil while it runs.
        var end: End?
        var dueAt: Int64 = 0
        /// Attempts that failed one after another.
        var failures = 0
    }

    private let folder: RecordingFolder
    private let copies: RecordingFolder
    private let depot: any RecordingDepot
    private let loads = Locked<[String: Load]>([:])
    private let turns = FileTurns()

    init(_ folder: RecordingFolder, _ depot: any RecordingDepot) throws(RecordingFault) {
        (self.folder, self.depot) = (folder, depot)
        copies = try RecordingFolder(
            folder.directory + "/copies", freeBytesMin: folder.freeBytesMin + Self.copyReserveBytes)
    }

    func stop() { depot.stop() }

    // MARK: What is sent

    /// A recording has begun here, or was left by a server of this directory that has ended.
    func take(_ id: String, end: End? = nil) {
        loads.withLock { $0[id] = $0[id] ?? Load(end: end) }
    }

    func end(_ id: String, _ end: End) {
        loads.withLock { loads in
            loads[id, default: Load()].end = end
            loads[id]?.dueAt = 0
        }
    }

    private func forget(_ id: String) { loads.withLock { $0[id] = nil } }

    func isSending(_ id: String) -> Bool { loads.withLock { $0[id] != nil } }

    /// Whether a file is here that may have more than the depot.
    func hasRest(of id: String) -> Bool {
        var status = stat()
        guard let path = folder.path(of: id) else { return false }
        return lstat(path, &status) == 0 && status.st_size > 0
    }

    /// The recordings of which it is time to send more. Those that have waited longest are first.
    func due(at now: Int64) -> [String] {
        let due = loads.withLock { $0.filter { $0.value.dueAt <= now } }
        return due.sorted { $0.value.dueAt < $1.value.dueAt }.map(\.key)
    }

    /// Sends what is new of a recording.
    ///
    /// - Returns: how much of it is in the depot and its end, when that is all.
    func send(_ id: String) throws(RecordingFault) -> (size: RecordingSize, end: End)? {
        guard let path = folder.path(of: id) else { return nil }
        return try turns.alone(id) { () throws(RecordingFault) in
            do throws(RecordingFault) {
                let sent = try sendRest(id, path)
                loads.withLock { $0[id]?.failures = 0 }
                return sent
            } catch {
                putOff(id)
                throw error
            }
        }
    }

    /// The others come first.
    private func putOff(_ id: String) {
        loads.withLock { loads in
            guard var load = loads[id] else { return }
            let pause = Self.pausesMilliseconds[min(load.failures, Self.pausesMilliseconds.count - 1)]
            load.dueAt = Clock.milliseconds() + pause
            load.failures += 1
            loads[id] = load
        }
    }

    private func sendRest(
        _ id: String, _ path: String
    ) throws(RecordingFault) -> (size: RecordingSize, end: End)? {
        let due = Clock.milliseconds() + Self.sendMilliseconds
        // An end that comes meanwhile makes it due again.
        let load = loads.withLock { loads in
            loads[id]?.dueAt = due
            return loads[id]
        }
        guard var load else { return nil }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let fault = errno
            // Somebody has removed it. What was sent of it is all that there is.
            if fault == ENOENT { forget(id) }
            throw .file(path, fault)
        }
        defer { close(descriptor) }
        if load.sent.byteCount == 0 { load.sent = try depot.pieces(of: id).whole }
        while let (piece, bytes) = try RecordingPiece.read(path, of: descriptor, from: load.sent.byteCount) {
            try depot.put(bytes, as: piece, of: id)
            load.sent = RecordingSize(byteCount: piece.end, milliseconds: piece.milliseconds)
            let sent = load.sent
            loads.withLock { $0[id]?.sent = sent }
        }
        return load.end.map { (load.sent, $0) }
    }

    /// All of a recording is in the depot, and its row says so.
    func hasSent(_ id: String) throws(RecordingFault) {
        guard let path = folder.path(of: id), let copy = copies.path(of: id) else { return }
        try turns.alone(id) { () throws(RecordingFault) in
            loads.withLock { $0[id] = nil }
            guard rename(path, copy) == 0 || errno == ENOENT else { throw .file(path, errno) }
        }
    }

    /// How much of a recording is in the depot.
    func size(of id: String) throws(RecordingFault) -> RecordingSize { try depot.pieces(of: id).whole }

    // MARK: What comes

    /// Opens a copy of what the depot has: a descriptor that the caller closes, and the length up to the last whole block.
    /// Nil when nothing of it is there.
    func open(_ recording: Recording) throws(RecordingFault) -> (descriptor: Int32, byteCount: Int)? {
        guard let path = copies.path(of: recording.id) else { return nil }
        return try turns.alone(recording.id) { () throws(RecordingFault) in
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
            guard descriptor >= 0 else { throw .file(path, errno) }
            do throws(RecordingFault) {
                let size = try bring(recording, into: descriptor, path)
                if size > 0 { return (descriptor, size) }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
            try copies.remove(recording.id)
            return nil
        }
    }

    private func bring(
        _ recording: Recording, into descriptor: Int32, _ path: String
    ) throws(RecordingFault) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, errno) }
        let settled = recording.isSettled ? Int(recording.extent.bytes) : .max
        var size = Int(status.st_size)
        if size < settled {
            let pieces = try depot.pieces(of: recording.id)
            let whole = pieces.whole.byteCount
            if !copies.hasRoom(for: whole - size) { removeCopies(usedBefore: .max, but: recording.id) }
            guard copies.hasRoom(for: whole - size) else { throw .file(path, ENOSPC) }
            // An attempt before may have brought a part of a piece.
            for piece in pieces where piece.end > size && piece.end <= whole {
                try depot.get(piece, of: recording.id, into: descriptor)
                size = max(size, piece.end)
            }
            size = min(size, whole)
        }
        // It is in use.
        futimens(descriptor, nil)
        return min(size, settled)
    }

    /// Removes copies that nobody has asked for since a time, in seconds since 1970.
    func removeCopies(usedBefore time: Int, but id: String? = nil) {
        let old = copies.ids(most: Self.copiesPerLook) { $0.st_mtim.tv_sec < time }
        for other in old where other != id { try? copies.remove(other) }
    }

    // MARK: The end

    /// Removes all of a recording.
    func remove(_ id: String) throws(RecordingFault) {
        try turns.alone(id) { () throws(RecordingFault) in
            try depot.remove(id)
            // Before that a later attempt to send it would find again that it is to be removed.
            forget(id)
            try copies.remove(id)
            try folder.remove(id)
        }
    }

    /// Removes what the depot has of a recording.
    func removeSent(_ id: String) throws(RecordingFault) {
        try turns.alone(id) { () throws(RecordingFault) in try depot.remove(id) }
    }
}
