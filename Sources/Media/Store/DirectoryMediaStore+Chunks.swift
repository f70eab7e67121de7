import Glibc
import Wire

/// Chunks of uploads:
///
///     chunks/UPLOAD/NUMBER
///
/// Nodes of a cluster share them like files.
extension DirectoryMediaStore {
    private var chunks: String { root + "/chunks" }

    private static func isName(_ upload: String) -> Bool {
        (1...64).contains(upload.utf8.count) && upload.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) }
    }

    public func keepChunk(_ file: StagedFile, number: Int, of upload: String) throws(MediaError) {
        guard Self.isName(upload) else { throw .storeFailed("an upload has a name that no file may have") }
        try Self.makeDirectory(chunks)
        try Self.makeDirectory(chunks + "/" + upload)
        try file.move(to: chunks + "/\(upload)/\(number)")
    }

    public func openChunk(_ number: Int, of upload: String) throws(MediaError) -> Int32? {
        guard Self.isName(upload) else { return nil }
        let path = chunks + "/\(upload)/\(number)"
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw .ofSystem(errno) }
        return nil
    }

    public func deleteChunks(of upload: String) throws(MediaError) {
        guard Self.isName(upload) else { return }
        let folder = chunks + "/" + upload
        for name in try Self.names(in: folder) { try Self.remove(folder + "/" + name) }
        // The sweep finds one that has arrived meanwhile.
        guard rmdir(folder) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw .ofSystem(errno) }
    }

    public func uploadsWithChunks() throws(MediaError) -> [String] {
        try Self.names(in: chunks).filter(Self.isName)
    }
}
