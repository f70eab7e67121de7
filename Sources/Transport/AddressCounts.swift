import Threads

/// Counts something by address, against a bound for each address.
public final class AddressCounts: Sendable {
    /// 0: no bound, and nothing is counted.
    private let most: Int
    private let counts = Locked<[IPAddress: Int]>([:])

    public init(most: Int) {
        self.most = most
    }

    /// Counts one more. Returns false, and counts nothing, when the address has reached its bound.
    ///
    /// - Parameter address: nil for a peer that is not counted.
    public func add(_ address: IPAddress?) -> Bool {
        guard most > 0, let address else { return true }
        return counts.withLock { counts in
            let count = counts[address, default: 0]
            guard count < most else { return false }
            counts[address] = count + 1
            return true
        }
    }

    public func remove(_ address: IPAddress?) {
        guard most > 0, let address else { return }
        counts.withLock { counts in
            guard let count = counts[address] else { return }
            counts[address] = count > 1 ? count - 1 : nil
        }
    }
}
