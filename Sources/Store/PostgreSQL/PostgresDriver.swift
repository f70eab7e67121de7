/// PostgreSQL 15 or newer.
final class PostgresDriver: SQLDriver {
    private let place: PostgresPlace
    private let limits: StoreLimits

    init(_ place: PostgresPlace, limits: StoreLimits) {
        self.place = place
        self.limits = limits
    }

    var shown: String { place.shown }

    func openWriter() throws(StoreError) -> any SQLConnection {
        let database = try PostgresConnection(place, limits, isReader: false)
        try PostgresMigrations.run(database)
        return database
    }

    func openReaders() throws(StoreError) -> [any SQLConnection] {
        var readers: [any SQLConnection] = []
        for _ in 0..<limits.readerThreads {
            readers.append(try PostgresConnection(place, limits, isReader: true))
        }
        return readers
    }

    /// The server of the database knows its sizes.
    func measure(_ counters: inout StoreCounters) {}

    func release() {}
}
