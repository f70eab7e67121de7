import Glibc

/// Bytes of an open file.
enum FileBytes {
    /// These bytes, or fewer at the end of the file.
    static func read(_ range: Range<Int>, of descriptor: Int32, _ path: String) throws(RecordingFault) -> [UInt8] {
        var size = stat()
        guard fstat(descriptor, &size) == 0 else { throw .file(path, errno) }
        let most = min(range.count, max(Int(size.st_size) - range.lowerBound, 0))
        // An array of no capacity is the one that all threads share, and its count would be written.
        guard most > 0 else { return [] }
        var fault: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, done in
            while done < most {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + done }, most - done, off_t(range.lowerBound + done))
                if got < 0, errno == EINTR { continue }
                if got < 0 { fault = errno }
                guard got > 0 else { return }
                done += got
            }
        }
        guard fault == 0 else { throw .file(path, fault) }
        return bytes
    }
}
