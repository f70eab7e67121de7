import Glibc
import Recordings
import Rooms
import Store

/// Copies without e-mail addresses and dates of birth of recordings that an earlier version of the server has written with them.
/// They are made when they are asked for, and go when nobody has asked for a while.
final class CleanCopies: Sendable {
    private static let copiesPerLook = 1_000

    private let folder: RecordingFolder
    private let turns = FileTurns()

    init(beside folder: RecordingFolder) {
        self.folder = RecordingFolder(unmade: folder.directory + "/clean", freeBytesMin: folder.freeBytesMin)
    }

    /// Gives what may be delivered of an open file: the file itself, or a copy. What is not given is closed.
    func open(
        _ recording: Recording, _ file: (descriptor: Int32, byteCount: Int)
    ) throws(RecordingFault) -> (descriptor: Int32, byteCount: Int) {
        var isGiven = false
        defer { if !isGiven { close(file.descriptor) } }
        if try RecordingReader.isClean(recording.id, file.descriptor) {
            isGiven = true
            return file
        }
        guard recording.isSettled, let path = folder.path(of: recording.id) else { throw .notSettled(recording.id) }
        return try turns.alone(recording.id) { () throws(RecordingFault) in
            if try openCopy(path) == nil { try copy(file, to: path) }
            guard let copy = try openCopy(path) else { throw .file(path, ENOENT) }
            return copy
        }
    }

    private func openCopy(_ path: String) throws(RecordingFault) -> (descriptor: Int32, byteCount: Int)? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .file(path, errno) }
            return nil
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let fault = errno
            close(descriptor)
            throw .file(path, fault)
        }
        // It is in use.
        futimens(descriptor, nil)
        return (descriptor, Int(status.st_size))
    }

    private func copy(
        _ file: (descriptor: Int32, byteCount: Int), to path: String
    ) throws(RecordingFault) {
        try folder.make()
        guard folder.hasRoom(for: file.byteCount) else { throw .file(path, ENOSPC) }
        let own = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .file(path, errno) }
        let reader = try RecordingReader(path: path, own, byteCount: file.byteCount)
        let head = RecordingHead(roomID: reader.head.roomID, startedAt: reader.head.startedAt)
        guard let begun = folder.path(of: RandomID.make()) else { throw .file(path, EINVAL) }
        let copy = try RecordingFile(path: begun, head: head, bytesMax: .max)
        do throws(RecordingFault) {
            _ = try reader.next()
            while let line = try reader.next() { try copy.append(line) }
            try copy.finish()
            guard rename(begun, path) == 0 else { throw .file(path, errno) }
        } catch {
            copy.remove()
            throw error
        }
    }

    /// Removes copies that nobody has asked for since a time, in seconds since 1970.
    func remove(usedBefore time: Int) {
        for id in folder.ids(most: Self.copiesPerLook, { $0.st_mtim.tv_sec < time }) { try? folder.remove(id) }
    }

    /// No error when there is none.
    func remove(_ id: String) throws(RecordingFault) {
        try turns.alone(id) { () throws(RecordingFault) in try folder.remove(id) }
    }
}
