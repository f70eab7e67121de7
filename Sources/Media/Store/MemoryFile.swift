import Glibc

/// A file without a place on a disk.
package final class MemoryFile: @unchecked Sendable {
    // One thread works with it at a time.
    private let descriptor: Int32

    package init() throws(MediaError) {
        let name = "/rooms-\(MediaKey(.jpeg))"
        descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .ofSystem(errno) }
        shm_unlink(name)
    }

    deinit {
        close(descriptor)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .ofSystem(errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Opens it for reading from its beginning: a descriptor that the caller closes, after which nothing is written.
    package func opened() throws(MediaError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0 else {
            let code = errno
            if copy >= 0 { close(copy) }
            throw .ofSystem(code)
        }
        return copy
    }
}
