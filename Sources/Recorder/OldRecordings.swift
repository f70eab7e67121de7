import Glibc
import Recordings
import Store
import Threads

/// Takes e-mail addresses and dates of birth out of recordings that an earlier version of the server has written, each in its
/// place and once. It is called on a thread of its own, because a large file takes minutes.
final class OldRecordings: Sendable {
    /// The bytes that clean files leave free for the recordings that run, which end when the disk is full.
    private static let reserveBytes = 64 << 20
    private static let filesPerLook = 10_000
    private static let wantedMax = 1_000
    /// The age from which a part of a file is one that a killed server has left.
    private static let leftSeconds = 3_600

    private let folder: RecordingFolder
    private let wanted = Locked<Set<String>>([])
    private let isStopping = Locked(false)

    init(in folder: RecordingFolder) {
        self.folder = RecordingFolder(folder, leaving: Self.reserveBytes)
    }

    /// Gives up the file that is being made.
    func stop() { isStopping.withLock { $0 = true } }

    /// Somebody has asked for one.
    func want(_ id: String) {
        wanted.withLock { wanted in
            if wanted.count < Self.wantedMax { wanted.insert(id) }
        }
    }

    func takeWanted() -> Set<String> {
        wanted.withLock { wanted in
            defer { wanted = [] }
            return wanted
        }
    }

    /// Looks at the beginnings of all files. One that cannot be read is no old one.
    func find() -> [String] {
        folder.removeParts(writtenBefore: Int(Clock.unixSeconds()) - Self.leftSeconds)
        return folder.ids(most: Self.filesPerLook) { $0.st_size > 0 }.filter { id in
            guard let path = folder.path(of: id) else { return false }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return (try? RecordingReader.isClean(path, descriptor)) == false
        }
    }

    /// Writes a clean file beside one that nobody writes any more. Nil when that is not there, or is clean.
    func copy(_ recording: Recording) throws(RecordingFault) -> CleanFile? {
        guard let file = try folder.open(recording) else { return nil }
        let (part, path) = (folder.newPart(), folder.path(of: recording.id) ?? "")
        let reader: RecordingReader
        do throws(RecordingFault) {
            if try RecordingReader.isClean(path, file.descriptor) {
                close(file.descriptor)
                return nil
            }
            guard folder.hasRoom(for: file.byteCount) else { throw .file(path, ENOSPC) }
        } catch {
            close(file.descriptor)
            throw error
        }
        reader = try RecordingReader(path: path, file.descriptor, byteCount: file.byteCount)
        let head = RecordingHead(roomID: reader.head.roomID, startedAt: reader.head.startedAt)
        let copy = try RecordingFile(path: part, head: head, bytesMax: .max)
        do throws(RecordingFault) {
            _ = try reader.next()
            while let line = try reader.next() {
                if isStopping.withLock({ $0 }) { throw .file(path, ECANCELED) }
                try copy.append(line)
            }
            try copy.finish()
            // A file that took no more lines must not replace one that has them.
            guard !copy.isFull else { throw .file(path, EFBIG) }
        } catch {
            copy.remove()
            throw error
        }
        copy.close()
        return CleanFile(
            path: path, part: part, directory: folder.directory,
            extent: RecordingExtent(bytes: Int64(copy.byteCount), milliseconds: copy.milliseconds))
    }

    /// A clean file that is to take the place of another one.
    struct CleanFile: Sendable {
        let path: String
        fileprivate let part: String
        fileprivate let directory: String
        let extent: RecordingExtent

        /// There is always one of the two files, whenever the power goes, and afterwards it is this one.
        func takePlace() throws(RecordingFault) {
            guard rename(part, path) == 0 else { throw .file(path, errno) }
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .file(directory, errno) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw .file(directory, errno) }
        }

        func discard() { unlink(part) }
    }
}
