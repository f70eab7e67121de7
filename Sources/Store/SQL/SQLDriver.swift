/// A kind of database at one place. It opens connections, and brings the schema up to the newest version.
///
/// The queries of the store (`Sources/Store/Queries`) are written once, in the SQL that SQLite 3.40 and PostgreSQL 15
/// share. A driver consists of this type, a `SQLConnection` with its `SQLRow`, the migrations of the schema, and a table
/// from the codes of the database to `StoreError`.
protocol SQLDriver: Sendable {
    /// The place in the form for messages.
    var shown: String { get }

    /// Opens the connection that writes. The schema has the newest version afterwards.
    ///
    /// - Parameter isShared: whether the nodes of a cluster write, too. Otherwise earlier servers cannot any more.
    func openWriter(isShared: Bool) throws(StoreError) -> any SQLConnection
    /// Opens connections that only read. Without any, the connection that writes also reads.
    func openReaders() throws(StoreError) -> [any SQLConnection]

    /// Adds the current sizes of the database.
    func measure(_ counters: inout StoreCounters)
    /// Allows another server to use the place. All connections are closed by then.
    func release()
}

extension SQLDriver {
    func openWriter() throws(StoreError) -> any SQLConnection { try openWriter(isShared: false) }
}
