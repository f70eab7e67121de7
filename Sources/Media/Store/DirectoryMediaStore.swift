import Glibc
import Threads

/// Files in one directory:
///
///     files/ab/abcd….jpg        what was uploaded, in 1,024 folders
///     copies/ab/abcd….jpg.320   smaller copies of images
///     chunks/UPLOAD/NUMBER      chunks of uploads under way
///     staging/…                 what is being uploaded; emptied at the start
///
/// Nodes of a cluster may share a directory. Each has a `staging-NODE` of its own.
public final class DirectoryMediaStore: MediaStore {
    let root: String
    private let staging: String
    private let freeBytesMin: Int
    private let freeBytes: FreeBytes
    private let claims = DiskClaims()
    /// The size of a directory that is used as a cache; nil until it was counted.
    let cachedBytes = Locked<Int?>(nil)

    /// How many bytes are free on the disk of a path.
    typealias FreeBytes = @Sendable (String) throws(MediaError) -> Int

    var files: String { root + "/files" }
    var copies: String { root + "/copies" }

    /// Makes missing directories. One process at a time may use a directory, or be a node.
    public convenience init(directory: String, node: Int? = nil, freeBytesMin: Int) throws(MediaError) {
        try self.init(directory: directory, node: node, freeBytesMin: freeBytesMin, freeBytes: Self.freeBytes)
    }

    init(
        directory: String, node: Int? = nil, freeBytesMin: Int, freeBytes: @escaping FreeBytes
    ) throws(MediaError) {
        root = directory
        staging = directory + "/staging" + (node.map { "-\($0)" } ?? "")
        self.freeBytesMin = freeBytesMin
        self.freeBytes = freeBytes
        for path in [root, files, copies, staging] { try Self.makeDirectory(path) }
        // Left over from a process that was killed.
        for name in try Self.names(in: staging) { unlink(staging + "/" + name) }
    }

    static func makeDirectory(_ path: String) throws(MediaError) {
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw .ofSystem(errno) }
    }

    // MARK: In

    public func stage(bytes: Int) throws(MediaError) -> StagedFile {
        let claim = try claims.take(bytes) { () throws(MediaError) in try freeBytes(root) - freeBytesMin }
        guard let claim else { throw .storeFull }
        return try StagedFile(path: staging + "/" + MediaKey(.jpeg).description, claim: claim)
    }

    private static func freeBytes(_ path: String) throws(MediaError) -> Int {
        var room = statvfs()
        guard statvfs(path, &room) == 0 else { throw .ofSystem(errno) }
        return Int(room.f_bavail) * Int(room.f_frsize)
    }

    public func publish(
        _ file: StagedFile, copies: [(side: Int, file: StagedFile)], as key: MediaKey
    ) throws(MediaError) {
        do throws(MediaError) {
            for copy in copies { try place(copy.file, self.copies, key, name: Self.copyName(key, copy.side)) }
            // The file comes last, so that its copies exist when it does.
            try place(file, files, key, name: key.description)
        } catch {
            try? delete(key)
            throw error
        }
    }

    private func place(
        _ file: StagedFile, _ parent: String, _ key: MediaKey, name: String
    ) throws(MediaError) {
        let folder = parent + "/" + key.folder
        if access(folder, F_OK) != 0 {
            try Self.makeDirectory(folder)
            try Self.synchronizeDirectory(parent)
        }
        try file.synchronize()
        try file.move(to: folder + "/" + name)
        try Self.synchronizeDirectory(folder)
    }

    private static func synchronizeDirectory(_ path: String) throws(MediaError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .ofSystem(errno) }
    }

    private static func copyName(_ key: MediaKey, _ side: Int) -> String { "\(key).\(side)" }

    func path(_ key: MediaKey, _ side: Int?) -> String {
        if let side {
            copies + "/" + key.folder + "/" + Self.copyName(key, side)
        } else {
            files + "/" + key.folder + "/" + key.description
        }
    }

    // MARK: Out

    public func open(_ key: MediaKey, side: Int?) throws(MediaError) -> Int32? {
        let descriptor = Glibc.open(path(key, side), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw .ofSystem(errno) }
        return nil
    }

    public func delete(_ key: MediaKey) throws(MediaError) {
        try Self.remove(files + "/" + key.folder + "/" + key.description)
        let folder = copies + "/" + key.folder
        for name in try Self.names(in: folder) where name.hasPrefix(key.description + ".") {
            try Self.remove(folder + "/" + name)
        }
    }

    static func remove(_ path: String) throws(MediaError) {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw .ofSystem(errno) }
    }

    public func forEach(_ body: (MediaKey, _ bytes: Int, _ published: Int) -> Void) throws(MediaError) {
        for folder in try Self.names(in: files) {
            for name in try Self.names(in: files + "/" + folder) {
                var status = stat()
                guard let key = MediaKey(name), lstat(files + "/" + folder + "/" + name, &status) == 0 else { continue }
                body(key, Int(status.st_size), Int(status.st_mtim.tv_sec))
            }
        }
    }

    /// None when there is no such directory.
    static func names(in path: String) throws(MediaError) -> [String] {
        guard let directory = opendir(path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .ofSystem(errno) }
            return []
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
