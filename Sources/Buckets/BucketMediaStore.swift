import Fetch
import Glibc
import Media
import Threads

/// Files in a bucket, which all nodes of a cluster share:
///
///     files/ab/abcd….jpg        what was uploaded
///     copies/ab/abcd….jpg.320   smaller copies of images
///
/// A directory of this server has what is being uploaded, and a cache: what was uploaded here, and what was asked for.
package final class BucketMediaStore: MediaStore {
    private let bucket: Bucket
    private let cache: DirectoryMediaStore
    private let cacheBytesMax: Int
    /// Smaller copies that images of little size do not have.
    private let absent = Locked<Set<String>>([])
    private static let absentMax = 10_000

    package init(_ bucket: Bucket, cache: DirectoryMediaStore, cacheBytesMax: Int) {
        self.bucket = bucket
        self.cache = cache
        self.cacheBytesMax = cacheBytesMax
    }

    /// Copies leave the disk before an upload finds it full.
    package func stage(bytes: Int) throws(MediaError) -> StagedFile {
        do throws(MediaError) { return try cache.stage(bytes: bytes) } catch {
            guard error == .storeFull else { throw error }
        }
        try cache.evict(downTo: 0)
        return try cache.stage(bytes: bytes)
    }

    package var serviceName: String { "S3" }

    package func stop() { bucket.stop() }

    package func publish(
        _ file: StagedFile, copies: [(side: Int, file: StagedFile)], as key: MediaKey
    ) throws(MediaError) {
        do throws(MediaError) {
            // The file comes first: what is left of a publication that fails, and cannot be taken back, is found by it.
            try put(file, key, side: nil)
            for copy in copies { try put(copy.file, key, side: copy.side) }
        } catch {
            try? delete(key)
            throw error
        }
        for copy in copies { keep(copy.file, key, side: copy.side) }
        keep(file, key, side: nil)
    }

    private func put(_ file: StagedFile, _ key: MediaKey, side: Int?) throws(MediaError) {
        try put(file, Self.name(key, side), type: key.format.mediaType)
    }

    private func put(_ file: StagedFile, _ name: String, type: String) throws(MediaError) {
        let descriptor = try file.opened()
        defer { close(descriptor) }
        try reported { () throws(BucketFault) in
            try bucket.put(name, FetchFile(descriptor: descriptor, byteCount: file.size), type: type)
        }
    }

    /// Nil when there is no such object.
    private func get(_ name: String) throws(MediaError) -> ArrivedFile? {
        let arrival = BucketArrival { [self] bytes throws(MediaError) in try stage(bytes: bytes) }
        let isThere = try reported { () throws(BucketFault) in try bucket.get(name, into: arrival) }
        return isThere ? try arrival.finish() : nil
    }

    /// The cache can be full or broken: the file is in the bucket.
    private func keep(_ file: StagedFile, _ key: MediaKey, side: Int?) {
        try? cache.keep(file, as: key, side: side, bytesMax: cacheBytesMax)
    }

    package func open(_ key: MediaKey, side: Int?) throws(MediaError) -> Int32? {
        // Nothing that is wrong with the cache keeps a file of the bucket from a client.
        if let descriptor = try? cache.openCached(key, side: side) { return descriptor }
        let name = Self.name(key, side)
        if absent.withLock({ $0.contains(name) }) { return nil }
        guard let file = try get(name) else {
            if side != nil { noteAbsent(name) }
            return nil
        }
        let descriptor = try file.opened()
        if case .staged(let file) = file { keep(file, key, side: side) }
        return descriptor
    }

    /// A smaller copy that is not there never will be.
    private func noteAbsent(_ name: String) {
        absent.withLock { absent in
            if absent.count >= Self.absentMax { absent = [] }
            absent.insert(name)
        }
    }

    package func delete(_ key: MediaKey) throws(MediaError) {
        // At the end: until the file is gone from the bucket, a client may bring it into the cache again.
        defer { try? cache.delete(key) }
        try reported { () throws(BucketFault) in
            // The file goes last: as long as it is there it is found again.
            var copies: [String] = []
            try bucket.list("copies/\(key.folder)/\(key).") { copies.append($0.name) }
            for copy in copies { try bucket.delete(copy) }
            try bucket.delete(Self.name(key, nil))
        }
    }

    package func forEach(_ body: (MediaKey, _ bytes: Int, _ published: Int) -> Void) throws(MediaError) {
        try reported { () throws(BucketFault) in
            try bucket.list("files/") { object in
                let name = object.name.split(separator: "/").last ?? ""
                if let key = MediaKey(name) { body(key, object.byteCount, object.modified) }
            }
        }
    }

    // MARK: Chunks

    package func keepChunk(_ file: StagedFile, number: Int, of upload: String) throws(MediaError) {
        try put(file, "chunks/\(upload)/\(number)", type: "application/octet-stream")
    }

    package func openChunk(_ number: Int, of upload: String) throws(MediaError) -> Int32? {
        try get("chunks/\(upload)/\(number)")?.opened()
    }

    package func deleteChunks(of upload: String) throws(MediaError) {
        try reported { () throws(BucketFault) in
            var names: [String] = []
            try bucket.list("chunks/\(upload)/") { names.append($0.name) }
            for name in names { try bucket.delete(name) }
        }
    }

    package func uploadsWithChunks() throws(MediaError) -> [String] {
        try reported { () throws(BucketFault) in
            var uploads: Set<String> = []
            try bucket.list("chunks/") { object in
                let parts = object.name.split(separator: "/")
                if parts.count >= 2 { uploads.insert(String(parts[parts.count - 2])) }
            }
            return uploads.sorted()
        }
    }

    private static func name(_ key: MediaKey, _ side: Int?) -> String {
        if let side { "copies/\(key.folder)/\(key).\(side)" } else { "files/\(key.folder)/\(key)" }
    }

    private func reported<Value>(_ body: () throws(BucketFault) -> Value) throws(MediaError) -> Value {
        do throws(BucketFault) { return try body() } catch { throw .storeFailed(error.reason) }
    }
}
