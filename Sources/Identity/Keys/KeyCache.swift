import Fetch

/// The provider's keys as they were fetched last, and when they are to be fetched again. Without clock or I/O.
///
/// Times are milliseconds of a clock that never goes back.
struct KeyCache {
    enum Answer {
        case key(PublicKey)
        /// The keys are as new as can be, and this is none of them.
        case unknown
        /// There are no keys that may be used, or they are not new enough to say that this is none of them.
        case unavailable
        /// To be asked again after the next fetch.
        case afterFetch
    }

    private let limits: IdentityLimits
    private var keys: KeySet?
    private var keysAt: Int64 = 0
    private var fetchBegan: Int64?
    private var isFetching = false
    private var lastFetchFailed = false
    /// The first fetch is wanted by nobody, so that the first client need not wait.
    private var isFetchWanted = true

    init(_ limits: IdentityLimits) {
        self.limits = limits
    }

    /// The key of a token that has just come.
    mutating func key(_ id: [UInt8]?, _ algorithm: SignatureAlgorithm, now: Int64) -> Answer {
        dropIfTooOld(now)
        if let keys {
            if let key = keys.key(id, algorithm) {
                if now - keysAt >= limits.refreshMilliseconds { isFetchWanted = true }
                return .key(key)
            }
            // A token that names no key cannot be one of a key that is new.
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

    /// When the next fetch is to begin; nil while none is wanted or one is under way.
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
        // What was asked for meanwhile has been answered with this one.
        isFetchWanted = false
        dropIfTooOld(now)
    }

    private mutating func dropIfTooOld(_ now: Int64) {
        if keys != nil, now - keysAt > limits.keysAgeMillisecondsMax { keys = nil }
    }
}
