import CSpawn
import Glibc

/// A file on its way into a store. It is removed with its last owner unless it was published.
public final class StagedFile: @unchecked Sendable {
    /// Open for reading and writing. One thread works with it at a time.
    let descriptor: Int32
    private(set) var path: String?
    public private(set) var byteCount = 0

    /// The room on the disk that it may still take; none once it has its name.
    private var claim: DiskClaims.Claim?

    /// Makes a file that did not exist.
    init(path: String, claim: DiskClaims.Claim? = nil) throws(MediaError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        self.path = path
        self.claim = claim
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .ofSystem(errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            byteCount += count
            claim?.wrote(count)
        }
    }

    public func write(_ bytes: Span<UInt8>) throws(MediaError) {
        // A closure would lose the type of the error.
        let result = bytes.withUnsafeBytes { piece in
            Result { () throws(MediaError) in try write(piece) }
        }
        try result.get()
    }

    /// Appends all of another file, without its bytes coming into this process where the system can copy them itself.
    func append(contentOf other: Int32) throws(MediaError) {
        while true {
            let count = rooms_copy_some(other, descriptor)
            if count < 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM].contains(Int32(-count)) {
                return try appendByHand(contentOf: other)
            }
            guard count >= 0 else { throw .ofSystem(Int32(-count)) }
            guard count > 0 else { return }
            byteCount += count
            claim?.wrote(count)
        }
    }

    private func appendByHand(contentOf other: Int32) throws(MediaError) {
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = read(other, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .ofSystem(errno) }
            guard count > 0 else { return }
            try write(bytes.span.extracting(0..<count))
        }
    }

    /// Opens it for reading: a descriptor that the caller closes.
    package func opened() throws(MediaError) -> Int32 {
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) } ?? -1
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        return descriptor
    }

    /// What it begins with, at most `count` bytes.
    func beginning(_ count: Int) throws(MediaError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, 0)
        guard got >= 0 else { throw .ofSystem(errno) }
        if got < count { bytes.removeLast(count - got) }
        return bytes
    }

    /// The file's size on the disk, whichever process has written it.
    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Has everything that was written reach the disk.
    func synchronize() throws(MediaError) {
        guard fsync(descriptor) == 0 else { throw .ofSystem(errno) }
    }

    /// Gives it its final name.
    func move(to destination: String) throws(MediaError) {
        guard let path, rename(path, destination) == 0 else { throw .ofSystem(errno) }
        self.path = nil
        claim = nil
    }
}

extension MediaError {
    static func ofSystem(_ code: Int32) -> MediaError {
        code == ENOSPC || code == EDQUOT ? .storeFull : .storeFailed(String(cString: strerror(code)))
    }
}
