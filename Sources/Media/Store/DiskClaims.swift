import Threads

/// Bytes that files on their way may still write: they are not free for others.
final class DiskClaims: Sendable {
    private let outstanding = Locked(0)

    /// A file's share of a disk's free room. Each byte that is written leaves it; the rest is given back with the claim.
    final class Claim: @unchecked Sendable {
        private let claims: DiskClaims
        private var left: Int

        fileprivate init(_ claims: DiskClaims, _ bytes: Int) {
            self.claims = claims
            left = bytes
        }

        /// These bytes are the disk's own count from now on. One thread at a time.
        func wrote(_ count: Int) {
            let count = min(count, left)
            left -= count
            claims.giveBack(count)
        }

        deinit {
            claims.giveBack(left)
        }
    }

    /// Nil when too little would be left on the disk after all claims are written.
    ///
    /// - Parameter room: bytes that may be written now: the free space less the reserve. Called while no other claim is
    ///   made.
    func take(_ bytes: Int, of room: () throws(MediaError) -> Int) throws(MediaError) -> Claim? {
        // A closure would lose the type of the error.
        let result = outstanding.withLock { outstanding in
            Result { () throws(MediaError) in
                guard try room() - outstanding >= bytes else { return false }
                outstanding += bytes
                return true
            }
        }
        return try result.get() ? Claim(self, bytes) : nil
    }

    private func giveBack(_ bytes: Int) {
        outstanding.withLock { $0 -= bytes }
    }
}
