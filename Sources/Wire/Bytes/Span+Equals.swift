import Glibc

extension Span where Element == UInt8 {
    /// Whether these are the same bytes.
    @inlinable
    public func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { other in
                guard let mine = mine.baseAddress, let other = other.baseAddress else { return true }
                return memcmp(mine, other, count) == 0
            }
        }
    }
}
