import Configuration
import Store

extension ServerConfiguration {
    /// Opens what outlives a restart; nil when no place is named for it. It has to be closed after the server was
    /// stopped.
    func openStore() throws(StoreError) -> (any ServerStore)? {
        guard let place = try storePlace() else { return nil }
        return try DatabaseStore(place, limits: storeLimits, notifies: push != .off)
    }

    private func storePlace() throws(StoreError) -> DatabaseStore.Place? {
        guard let store else { return data.map { .directory($0) } }
        do throws(PostgresPlace.Fault) {
            return .postgres(try PostgresPlace(String(decoding: store.revealed(), as: UTF8.self)))
        } catch {
            throw .failed("the store", detail: error.problem)
        }
    }
}
