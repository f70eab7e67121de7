import Glibc

/// The directory as a cache of files that are stored elsewhere: nothing has to survive here, and the oldest go first.
extension DirectoryMediaStore {
    /// A copy, not a promise: a file that was deleted elsewhere goes from here by then.
    private static let cachedSecondsMax = 3_600

    /// Opens a file that was kept not long ago.
    package func openCached(_ key: MediaKey, side: Int?) throws(MediaError) -> Int32? {
        guard let descriptor = try open(key, side: side) else { return nil }
        var status = stat()
        if fstat(descriptor, &status) == 0, time(nil) - status.st_mtim.tv_sec < Self.cachedSecondsMax {
            return descriptor
        }
        close(descriptor)
        try Self.remove(path(key, side))
        return nil
    }

    /// Keeps a file, and as many of the newest others as fit.
    package func keep(_ file: StagedFile, as key: MediaKey, side: Int?, bytesMax: Int) throws(MediaError) {
        let byteCount = file.size
        guard byteCount <= bytesMax else { return }
        try Self.makeDirectory((side == nil ? files : copies) + "/" + key.folder)
        try file.move(to: path(key, side))
        let isFull = cachedBytes.withLock { cached in
            cached = cached.map { $0 + byteCount }
            return cached.map { $0 > bytesMax } ?? true
        }
        if isFull { try evict(downTo: bytesMax / 10 * 9) }
    }

    /// Removes the oldest files until no more bytes than these are left, and counts anew.
    package func evict(downTo bytesMax: Int) throws(MediaError) {
        var found: [(path: String, kept: Int, byteCount: Int)] = []
        for parent in [files, copies] {
            for folder in try Self.names(in: parent) {
                for name in try Self.names(in: parent + "/" + folder) {
                    var status = stat()
                    let path = parent + "/" + folder + "/" + name
                    guard lstat(path, &status) == 0 else { continue }
                    found.append((path, status.st_mtim.tv_sec, Int(status.st_size)))
                }
            }
        }
        var left = found.reduce(0) { $0 + $1.byteCount }
        for file in found.sorted(by: { $0.kept < $1.kept }) where left > bytesMax {
            try Self.remove(file.path)
            left -= file.byteCount
        }
        cachedBytes.withLock { $0 = left }
    }
}
