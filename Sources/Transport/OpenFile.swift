import Glibc

/// A file that is open for reading. It is closed with its last reference.
public final class OpenFile: Sendable {
    public let descriptor: Int32
    public let size: Int
    /// Nanoseconds since 1970.
    public let modified: UInt64

    /// Held as long as the file is open.
    private let seat: (any AnyObject & Sendable)?

    /// Takes over the descriptor. Nil unless it is an open, regular file.
    ///
    /// - Parameters:
    ///   - bytesMax: what follows is not part of it.
    ///   - seat: released when the file is closed.
    public init?(descriptor: Int32, bytesMax: Int = .max, seat: (any AnyObject & Sendable)? = nil) {
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.seat = seat
        size = min(Int(status.st_size), bytesMax)
        modified = UInt64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ UInt64(status.st_mtim.tv_nsec)
    }

    deinit {
        close(descriptor)
    }

    /// Fills the buffer up to the end of the file, which the caller does not pass. Returns the number of bytes; zero also after an error.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var count = 0
        while count < buffer.count {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = pread(descriptor, piece.baseAddress, piece.count, offset + count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        return count
    }
}
