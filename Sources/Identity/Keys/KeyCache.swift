import Fetch

/// The provider's keys as of the last fetch, and the time of the next fetch. Without clock or I/O.
///
/// Times are milliseconds of a clock that never goes back.
struct KeyCache {
    enum Answer {
        case key(PublicKey)
        /// The keys are up to date, and this is none of them.
        case unknown
        /// There are no usable keys, or they are too old to say that this is none of them.
        case unavailable
        /// Ask again after the next fetch.
        case afterFetch
    }

    private let limits: IdentityLimits
    private var keys: KeySet?
    private var keysAt: Int64 = 0
    private var fetchBegan: Int64?
    private var isFetching = false
    private var lastFetchFailed = false
    /// The first fetch needs no token, so that the first client need not wait.
    private var isFetchWanted = true

    init(_ limits: IdentityLimits) {
        self.limits = limits
    }

    /// The key of a token that has just arrived.
    mutating func key(_ id: [UInt8]?, _ algorithm: SignatureAlgorithm, now: Int64) -> Answer {
        dropIfTooOld(now)
        if let keys {
            if let key = keys.key(id, algorithm) {
                if now - keysAt >= limits.refreshMilliseconds { isFetchWanted = true }
                return .key(key)
            }
            // A token without a key id cannot name a new key.
            if id == nil { return .unknown }
        }
        isFetchWanted = true
        return .afterFetch
    }

    /// The key of a token that has waited for the fetch that just ended.
    func keyAfterFetch(_ id: [UInt8]?, _ algorithm: SignatureAlgorithm) -> Answer {
        if let key = keys?.key(id, algorithm) { return .key(key) }
        return lastFetchFailed || keys == nil ? .unavailable : .unknown
    }

    /// When the next fetch has to begin; nil while none is needed, or one is in progress.
    var nextFetch: Int64? {
        guard isFetchWanted, !isFetching else { return nil }
        return fetchBegan.map { $0 + limits.refetchMilliseconds } ?? .min
    }

    mutating func beginFetch(now: Int64) {
        isFetching = true
        isFetchWanted = false
        fetchBegan = now
    }

    mutating func endFetch(_ result: Result<KeySet, FetchFault>, now: Int64) {
        isFetching = false
        switch result {
        case .success(let set):
            keys = set
            keysAt = now
            lastFetchFailed = false
        case .failure:
            lastFetchFailed = true
        }
        // This fetch has answered the requests that came meanwhile.
        isFetchWanted = false
        dropIfTooOld(now)
    }

    private mutating func dropIfTooOld(_ now: Int64) {
        if keys != nil, now - keysAt > limits.keysAgeMillisecondsMax { keys = nil }
    }
}
