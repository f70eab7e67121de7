import Configuration
import Store

extension ServerConfiguration {
    /// Opens what outlives a restart; nil when no place is named for it. It has to be closed after the server was
    /// stopped.
    func openStore() throws(StoreError) -> DatabaseStore? {
        guard let place = try storePlace() else { return nil }
        // With a database elsewhere it has the uploaded files alone.
        if let data { try DatabaseStore.makeDirectory(data) }
        return try DatabaseStore(place, limits: storeLimits, notifies: sendsNotifications, node: clusterNode)
    }

    /// Where everything but uploaded files is stored; nil if nothing is.
    func storePlace() throws(StoreError) -> DatabaseStore.Place? {
        if let store { return try DatabaseStore.Place(url: store.revealed()) }
        if let storeFile { return try DatabaseStore.Place(named: storeFile) }
        return data.map { .directory($0) }
    }
}

extension DatabaseStore.Place {
    /// - Parameter text: a data directory, a URL of PostgreSQL, or a file that holds such a URL.
    init(named text: String) throws(StoreError) {
        if text.hasPrefix("postgresql:") || text.hasPrefix("postgres:") {
            try self.init(url: Array(text.utf8))
        } else if FileContent.kind(text) == .file {
            switch FileContent.read(text, bytesMax: 64 << 10) {
            case .success(let bytes): try self.init(url: Array(bytes.prefix { $0 >= UInt8(ascii: " ") }))
            case .failure(let fault): throw .failed(text, detail: "it \(fault.problem)")
            }
        } else {
            self = .directory(text)
        }
    }

    fileprivate init(url: [UInt8]) throws(StoreError) {
        do throws(PostgresPlace.Fault) {
            self = .postgres(try PostgresPlace(String(decoding: url, as: UTF8.self)))
        } catch {
            throw .failed("the place of the store", detail: "it \(error.problem)")
        }
    }
}
