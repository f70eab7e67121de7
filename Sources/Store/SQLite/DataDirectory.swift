import Glibc
import Threads

/// A server's data directory, and the lock that lets only one server use it.
///
/// The lock is the kernel's, on the file `rooms.lock`. It ends with the process, however that ends.
final class DataDirectory: Sendable {
    static let databaseName = "rooms.db"
    static let lockName = "rooms.lock"

    let path: String
    private let descriptor: Monitor<Int32>

    var databasePath: String { Self.databasePath(in: path) }

    static func databasePath(in path: String) -> String { "\(path)/\(databaseName)" }

    /// Makes a directory if it is missing.
    static func make(_ path: String) throws(StoreError) {
        if mkdir(path, 0o750) != 0, errno != EEXIST { throw fault(path) }
    }

    /// Locks the directory for this process, and makes it if it is missing.
    init(_ path: String) throws(StoreError) {
        try Self.make(path)
        let lockPath = "\(path)/\(Self.lockName)"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw Self.fault(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            let owner = Self.owner(descriptor)
            close(descriptor)
            if number == EWOULDBLOCK { throw .inUse(path, by: owner) }
            throw Self.fault(path, number)
        }
        self.path = path
        self.descriptor = Monitor(descriptor)
        writeOwner(descriptor)
    }

    deinit {
        release()
    }

    /// Lets another server have the directory.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// For operators, and for the error of a second server. A full disk need not keep a server from reading.
    private func writeOwner(_ descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func owner(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    static func fault(_ path: String, _ number: Int32 = errno) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT: .diskFull(path)
        case EACCES, EPERM, EROFS: .readOnly(path)
        case ENOTDIR: .failed(path, detail: "it leads through something that is no directory")
        case ENOENT: .failed(path, detail: "the directory above it does not exist")
        default: .failed(path, detail: String(cString: strerror(number)))
        }
    }
}

extension DatabaseStore {
    /// Makes the data directory of a server, whatever its store is, if it is missing.
    package static func makeDirectory(_ path: String) throws(StoreError) { try DataDirectory.make(path) }
}
