import Glibc
import Recordings
import Rooms
import Store

/// The files of recordings, `ID.rec` each in one directory. The nodes of a cluster without a bucket share it.
package struct RecordingFolder: Sendable {
    private static let ending = ".rec"
    /// Of files that are to become recordings.
    private static let endingOfParts = ".part"

    package let directory: String
    /// What has to be left free on the disk.
    let freeBytesMin: Int

    /// Makes the directory if it is missing.
    package init(_ directory: String, freeBytesMin: Int) throws(RecordingFault) {
        self.directory = directory
        self.freeBytesMin = freeBytesMin
        guard mkdir(directory, 0o750) == 0 || errno == EEXIST else { throw .file(directory, errno) }
    }

    /// The same directory for somebody who leaves more of the disk to others.
    init(_ folder: RecordingFolder, leaving bytes: Int) {
        directory = folder.directory
        freeBytesMin = folder.freeBytesMin + bytes
    }

    /// Ids are made by the server, of letters, digits, `-` and `_`. Nil for other text.
    func path(of id: String) -> String? {
        let isName = (1...64).contains(id.utf8.count) && id.utf8.allSatisfy(Self.isOfName)
        return isName ? directory + "/" + id + Self.ending : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// What recordings may still take of the disk; nil when it does not say.
    var freeBytes: Int? {
        var room = statvfs()
        guard statvfs(directory, &room) == 0 else { return nil }
        return Int(room.f_bavail) * Int(room.f_frsize) - freeBytesMin
    }

    /// Whether there is room for so many more bytes.
    func hasRoom(for byteCount: Int) -> Bool { freeBytes.map { $0 >= byteCount } ?? true }

    /// Opens a file for reading: a descriptor that the caller closes, and the length up to the last whole block. Nil when
    /// it is not there.
    func open(_ recording: Recording) throws(RecordingFault) -> (descriptor: Int32, byteCount: Int)? {
        guard let path = path(of: recording.id) else { return nil }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .file(path, errno) }
            return nil
        }
        let noted = Int(recording.extent.bytes)
        do throws(RecordingFault) {
            let whole = try RecordingSize.wholeBytes(path, of: descriptor, from: noted)
            return (descriptor, recording.isSettled ? min(whole, noted) : whole)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// How far a recording came that nobody writes any more. What a server has half written is removed. Nil when the file
    /// cannot be read now.
    func settledExtent(of recording: Recording) -> RecordingExtent? {
        guard let path = path(of: recording.id) else { return recording.extent }
        do throws(RecordingFault) {
            let size = try RecordingSize.measure(path, cutsOff: true)
            return RecordingExtent(size)
        } catch {
            // A file that is not there now may be back, with the directory, as far as it was noted.
            guard case .file(_, ENOENT) = error else { return nil }
            return recording.extent
        }
    }

    /// No error when it is not there.
    func remove(_ id: String) throws(RecordingFault) {
        guard let path = path(of: id) else { return }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file(path, errno) }
    }

    /// The path of a new file that is to become a recording.
    func newPart() -> String { directory + "/" + RandomID.make() + Self.endingOfParts }

    /// Removes what a server that was killed has left of such files.
    func removeParts(writtenBefore time: Int) {
        for name in names(ending: Self.endingOfParts, most: .max, { $0.st_mtim.tv_sec < time }) {
            unlink(directory + "/" + name + Self.endingOfParts)
        }
    }

    /// Recordings whose files are as wanted; at most so many.
    func ids(most: Int, _ isWanted: (stat) -> Bool) -> [String] {
        names(ending: Self.ending, most: most) { isWanted($0) }
    }

    /// The files with an ending that are as wanted, without the ending. Those whose names are no ids are not ours.
    private func names(ending: String, most: Int, _ isWanted: (stat) -> Bool) -> [String] {
        guard let listing = opendir(directory) else { return [] }
        defer { closedir(listing) }
        var ids: [String] = []
        while ids.count < most, let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            let id = String(name.dropLast(ending.count))
            guard name.hasSuffix(ending), path(of: id) != nil, lstat(directory + "/" + name, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, isWanted(status)
            else { continue }
            ids.append(id)
        }
        return ids
    }
}
