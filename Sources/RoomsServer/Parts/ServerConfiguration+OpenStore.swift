import Configuration
import Store

extension ServerConfiguration {
    /// Opens what outlives a restart; nil when no directory is named for it. It has to be closed after the server was
    /// stopped.
    func openStore() throws(StoreError) -> (any ServerStore)? {
        guard let data else { return nil }
        return try DatabaseStore(.directory(data), limits: storeLimits, notifies: push != .off)
    }
}
